# From a recording to what a controller would have logged: readings of 20-bit encoders, and the torques that were asked for with
# 0.3 N m of noise.
NR == 1 {
  for (i = 1; i <= NF; i++) column[$i] = i
  print "t,q1,q2,q3,tau1,tau2,tau3"
  srand(1)
  next
}
{
  step = 6.283185307179586 / 1048576
  row = $column["t"]
  for (j = 1; j <= 3; j++) {
    q = $column["q" j]
    row = row "," sprintf("%.9f", step * int(q / step + (q < 0 ? -0.5 : 0.5)))
  }
  for (j = 1; j <= 3; j++) {
    noise = -6
    for (k = 0; k < 12; k++) noise += rand()
    row = row "," sprintf("%.5f", $column["asked" j] + 0.3 * noise)
  }
  print row
}
