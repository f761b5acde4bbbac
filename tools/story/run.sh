#!/usr/bin/env bash
# The story of docs/identification.md: a robot that was built otherwise than drawn is excited, identified, and follows its motion better.
# run.sh [DIRECTORY]: everything is written there (default: a new one). DALEMBERT is the command (default: dalembert).
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
to="${1:-$(mktemp -d)}"
dalembert="${DALEMBERT:-dalembert}"
mkdir -p "$to"
cp "$here"/*.toml "$to"
cd "$to"

# 1. A motion worth measuring, for the robot as drawn, with 0.7 of its limits.
"$dalembert" excite cad.toml --share 0.7 --period 2.5 --random 200 --steps 60 -o excite.csv
# 2. The robot does it; what its controller would have logged.
"$dalembert" simulate measure.toml --out run.csv
awk -F, -f "$here/log.awk" run.csv > log.csv
# 3. Masses, inertias, rotors, friction and the delay out of that log.
"$dalembert" identify cad.toml log.csv -o identified.toml --report identified.html
# 4. Which model is nearest to what was measured, before and after.
"$dalembert" compare cad.toml log.csv
"$dalembert" compare identified.toml log.csv
# 5. Another motion, with the controller that knows the drawings, what was identified, and the truth.
for known in cad identified as-built; do
  sed "s/\"cad.toml\"/\"$known.toml\"/" track.toml > "track-$known.toml"
  "$dalembert" simulate "track-$known.toml" --out "track-$known.csv"
done
echo "everything is in $to"
