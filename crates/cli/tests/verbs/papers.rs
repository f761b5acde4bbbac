//! `paper`, and what the papers need of other verbs.

use crate::common::{Done, command, json, number, refused};

/// The page and the numbers of its figures, or the tables as JSON; a name that is none is told.
#[test]
fn a_paper_is_written_or_printed() -> Done {
    let folder = tempfile::tempdir()?;
    let pages = folder.path().join("pages");
    let output = command(&["paper", "bortoff", "--milliseconds", "0", "--out", pages.to_str().ok_or("a name")?]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let page = std::fs::read_to_string(pages.join("bortoff.html"))?;
    assert!(page.contains("Figure 5") && page.contains("not published enough") && page.contains("id=\"errata\""));
    let csv = std::fs::read_to_string(pages.join("bortoff-figure-5.csv"))?;
    assert!(csv.starts_with("panel,series,x,y\n") && csv.lines().count() > 20);
    let tables = json(&["paper", "armstrong", "--milliseconds", "0", "--json"])?;
    let items = tables["papers"][0]["items"].as_array().ok_or("items")?;
    let table = items.iter().find(|item| item["number"] == "Table 4").ok_or("Table 4")?;
    let row = &table["tables"][0]["rows"][0];
    assert_eq!((row["printed"].as_str(), number(&row["ours"])), (Some("17.40"), 17.4));
    refused(&["paper", "codourei"], "did you mean `codourey`?");
    Ok(())
}

/// The mass matrix of Codourey's model over a window, all entries in one picture.
#[test]
fn maps_of_a_model_over_a_window() -> Done {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("mass.svg");
    let name = file.to_str().ok_or("a name")?;
    let window = ["--x=-0.2,0.2", "--y=-0.1,0.1", "--at=-0.85", "--count", "9"];
    let model = ["map", "d3-1200", "mass", "--model", "codourey-simplified", "--json"];
    let simplified = json(&[&model[..], &window, &["--channel", "all", "--out", name]].concat())?;
    let exact = json(&[&["map", "d3-1200", "mass", "--json"][..], &window].concat())?;
    assert_eq!((number(&simplified["x"]["from"]), number(&simplified["y"]["to"])), (-0.2, 0.1));
    let most = |map: &serde_json::Value| number(&map["channels"][0]["largest"]);
    assert!((most(&simplified) / most(&exact) - 1.0).abs() < 0.1 && most(&simplified) != most(&exact));
    let svg = std::fs::read_to_string(&file)?;
    assert!(["M11", "M12", "M33"].iter().all(|entry| svg.contains(entry)));
    refused(&["map", "d3-1200", "mass", "--z=-0.9,-0.8"], "the slice is across z");
    refused(&["map", "d3-1200", "mass", "--x=0.2,0.1"], "is not a range that begins below its end");
    refused(&["map", "d3-1200", "gravity", "--model", "asadi"], "--model is for");
    Ok(())
}

/// Arms are explained too; friction of a PUMA from its break-away torques.
#[test]
fn arms_are_explained() -> Done {
    let joints = "0.3,-0.7,1.1,0.4,-0.8,0.5";
    let explained = json(&["explain", "puma560", "--joints", joints, "--joint-velocity", "1", "--json"])?;
    let titles: Vec<&str> =
        explained["sections"].as_array().ok_or("sections")?.iter().filter_map(|s| s["title"].as_str()).collect();
    assert!(titles.contains(&"Lumped constants") && titles.contains(&"Christoffel symbols: row j, column k"));
    assert_eq!(explained["torque"].as_array().map(Vec::len), Some(6));
    refused(&["explain", "puma560", "--joints", "1,2,3"], "6 numbers are needed");
    Ok(())
}
