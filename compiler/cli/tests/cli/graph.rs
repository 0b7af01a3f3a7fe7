//! The drawing and the page of `slipform graph`: all that is there is drawn, nothing covers anything, and what a user wrote stays text.

use crate::sandbox::Sandbox;
use serde_json::Value;
use slipform::ExitStatus::{Clean, Errors, Unusable};
use std::collections::BTreeSet;

const SMALL: &str = r#"param project: ProjectId = "my-project"

## Training data & what comes of it.
existing bucket data {
  location = "us-east4"
}

identity trainer { }

network fabric {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}

cluster a3m on gke {
  network = fabric
  zone    = "us-east4-a"

  pool gpus {
    machine = "a3-megagpu-8g"
    nodes   = 2
  }
}

workload train on a3m.gpus {
  image    = "nvcr.io/nvidia/nemo:24.07"
  nodes    = 2
  identity = trainer
  launch   = torchrun("train.py")
  mounts   = [data at "/data"]
}
"#;

/// Three clusters of several nouns each, buckets and workloads for each team: more than a hundred nouns.
const FLEET: &str = r#"param project: ProjectId = "my-project"

let teams = ["vision", "language", "speech", "robots", "search", "safety", "agents", "audio", "maps", "ranking", "weather", "medical"]

network fabric {
  region   = "us-east4"
  pods     = 10.64.0.0/10
  services = 10.1.0.0/16
}

for team in teams {
  bucket data {
    location = "us-east4"
  }
  bucket checkpoints {
    location = "us-east4"
  }
}

for zone in ["us-east4-a", "us-east4-b", "us-east4-c"] {
  cluster c on gke {
    network = fabric
    zone    = zone
    pool h100 {
      machine = "a3-megagpu-8g"
      nodes   = 8
    }
    queue shared {
      pools      = [h100]
      namespaces = teams
    }
  }
  for team in teams {
    workload train on c.h100 {
      image     = "nvcr.io/nvidia/nemo:24.07"
      nodes     = 4
      namespace = team
      launch    = torchrun("train.py")
      mounts    = [data[team] at "/data", checkpoints[team] at "/checkpoints"]
    }
    workload evaluate on c.h100 {
      image     = "nvcr.io/nvidia/nemo:24.07"
      nodes     = 1
      namespace = team
      launch    = torchrun("evaluate.py")
      mounts    = [checkpoints[team] at "/checkpoints"]
    }
  }
}
"#;

fn drawn(text: &str, format: &str) -> String {
    let sandbox = Sandbox::new(&[("train.bp", text)]);
    sandbox.run(&["graph", "train.bp", "--format", format]).expect(Clean).out
}

/// What the script of a page reads.
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once(r#"<script type="application/json" id="data">"#).unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

/// The numbers of an element's attributes: `x`, `y`, `width` and `height`.
fn places(drawing: &str, class: &str) -> Vec<[i32; 4]> {
    let start = format!("<rect class=\"{class}\" ");
    let elements = drawing.split(&start).skip(1).map(|rest| rest.split_once('>').unwrap().0);
    let number = |element: &str, name: &str| -> i32 {
        let (_, rest) = element.split_once(&format!("{name}=\"")).unwrap();
        rest.split_once('"').unwrap().0.parse().unwrap()
    };
    elements
        .map(|element| ["x", "y", "width", "height"].map(|name| number(element, name)))
        .collect()
}

fn meet([x, y, width, height]: [i32; 4], other: [i32; 4]) -> bool {
    let [left, top, wide, high] = other;
    x < left + wide && left < x + width && y < top + high && top < y + height
}

#[test]
fn a_small_drawing() {
    insta::assert_snapshot!(without_style(&drawn(SMALL, "svg")));
}

fn without_style(drawing: &str) -> String {
    let (before, rest) = drawing.split_once("<style>").unwrap();
    let (_, behind) = rest.split_once("</style>").unwrap();
    format!("{before}<style></style>{behind}")
}

#[test]
fn every_noun_has_a_box_and_no_two_meet() {
    for (text, least) in [(SMALL, 6), (FLEET, 100)] {
        let page = drawn(text, "html");
        let nouns = data(&page)["nouns"].as_array().unwrap().len();
        let cards = places(&page, "card");
        assert!(nouns >= least);
        assert_eq!(cards.len(), nouns);
        for (number, card) in cards.iter().enumerate() {
            assert!(!cards.iter().skip(number + 1).any(|other| meet(*card, *other)), "{card:?}");
        }
        let frames = places(&page, "frame");
        for frame in &frames {
            let inside: Vec<_> = cards.iter().filter(|card| meet(**card, *frame)).collect();
            assert!(inside.len() > 1, "{frame:?}");
            assert_eq!(frames.iter().filter(|other| meet(**other, *frame)).count(), 1);
        }
    }
}

/// Where a way is level it stands between boxes; only in the gutters between lanes does it bend.
#[test]
fn no_arrow_crosses_a_box() {
    let page = drawn(FLEET, "html");
    let cards = places(&page, "card");
    let mut level = 0;
    for way in page.split(" d=\"M").skip(1).filter(|rest| rest.contains('H')) {
        let way = way.split('"').next().unwrap();
        let numbers = way.split(['C', 'H']).map(|it| {
            it.split(' ').filter_map(|number| number.parse::<i32>().ok()).collect::<Vec<_>>()
        });
        let mut at = (0, 0);
        for step in numbers {
            match step.as_slice() {
                [x] => {
                    let line = [(*x).min(at.0) + 1, at.1, (*x - at.0).abs() - 2, 1];
                    assert!(!cards.iter().any(|card| meet(*card, line)), "{way}: {line:?}");
                    level += 1;
                    at.0 = *x;
                }
                [.., x, y] => at = (*x, *y),
                [] => {}
            }
        }
    }
    assert!(level > 100, "{level}");
}

#[test]
fn a_page_tells_what_each_noun_renders_to_and_where_it_stands() {
    let told = data(&drawn(SMALL, "html"));
    let noun = |path: &str| {
        let nouns = told["nouns"].as_array().unwrap();
        nouns.iter().position(|noun| noun["path"] == path).unwrap()
    };
    let train = &told["nouns"][noun("train")];
    let files: Vec<String> = train["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| {
            let file = &told["files"][file.as_u64().unwrap() as usize];
            format!("{} {}", file[0].as_str().unwrap(), file[1].as_str().unwrap())
        })
        .collect();
    assert!(files.contains(&"50-workloads/train base/jobset.yaml".to_owned()), "{files:?}");
    assert_eq!(train["source"]["place"], "train.bp:26");
    assert_eq!(train["source"]["link"], "./train.bp#L26");
    assert_eq!(train["source"]["line"], "workload train on a3m.gpus {");
    let needs = train["needs"].as_array().unwrap();
    assert!(needs.contains(&serde_json::json!([noun("a3m.gpus"), "runs on"])), "{needs:?}");
    assert!(needs.contains(&serde_json::json!([noun("data"), "mounts"])), "{needs:?}");
    assert_eq!(told["nouns"][noun("data")]["existing"], true);
    assert_eq!(told["nouns"][noun("data")]["doc"], "Training data & what comes of it.");
}

#[test]
fn a_page_asks_nobody_for_anything() {
    for format in ["html", "svg"] {
        let page = drawn(FLEET, format).replace("http://www.w3.org/2000/svg", "");
        for word in ["http:", "https:", "src=", "@import", "url(\"", "fetch(", "import("] {
            assert!(!page.contains(word), "{format}: {word}");
        }
        let named = page.split("url(").skip(1);
        assert!(named.into_iter().all(|rest| rest.starts_with('#')), "{format}");
    }
    assert!(drawn(SMALL, "html").contains("content=\"default-src 'none'; style-src 'sha256-"));
}

#[test]
fn the_same_blueprint_gives_the_same_bytes_anywhere() {
    let sandbox = Sandbox::new(&[("deep/project/train.bp", FLEET), ("other/x.txt", "")]);
    for format in ["svg", "html"] {
        let from = |folder: &str, path: &str| {
            sandbox.run_in(folder, &["graph", path, "--format", format]).expect(Clean).out
        };
        let first = from(".", "deep/project");
        assert_eq!(first, from("deep/project", "."));
        assert_eq!(first, from("other", "../deep/project"));
        let whole = sandbox.path("deep/project");
        assert_eq!(first, from(".", whole.to_str().unwrap()));
        assert!(!first.contains(sandbox.path("").to_str().unwrap()));
    }
}

#[test]
fn what_a_user_wrote_stays_text() {
    let text = r#"param project: ProjectId = "my-project"

## </script><script>alert("doc")</script> <!-- <title> ' " &amp;
bucket data {
  location = "us-east4"
}

for key in ["</script><img src=x onerror=alert(1)>", "a\"b'c", "]]>&lt;"] {
  bucket more {
    location = "us-east4"
  }
}
"#;
    for format in ["svg", "html"] {
        let sandbox = Sandbox::new(&[("train.bp", text)]);
        let outcome = sandbox.run(&["graph", "train.bp", "--format", format]);
        let tags: BTreeSet<&str> = outcome
            .out
            .split('<')
            .skip(1)
            .filter_map(|rest| rest.split([' ', '>', '\n']).next())
            .collect();
        for tag in ["img", "script>alert", "!--"] {
            assert!(!tags.contains(tag), "{format}: {tag}");
        }
        assert_eq!(places(&outcome.out, "card").len(), 4, "{format}");
        assert!(outcome.out.contains("&lt;&#x2f;script&gt;&lt;img src=x"), "{format}");
        assert!(!outcome.out.contains("alert(1)>"), "{format}");
        let scripts = if format == "html" { 2 } else { 0 };
        assert_eq!(outcome.out.matches("<script").count(), scripts, "{format}");
        assert_eq!(outcome.out.matches("</script").count(), scripts, "{format}");
    }
}

#[test]
fn a_blueprint_with_errors_is_drawn_as_far_as_it_was_understood() {
    let sandbox = Sandbox::new(&[("train.bp", &SMALL.replace("nodes    = 2", "nodes    = 99"))]);
    let outcome = sandbox.run(&["graph", "train.bp", "--format", "html"]).expect(Errors);
    assert!(outcome.err.contains("error["), "{}", outcome.err);
    assert!(outcome.out.contains("The blueprint has errors"));
    let told = data(&outcome.out);
    assert_eq!(told["files"], serde_json::json!([]));
    assert_eq!(told["nouns"].as_array().unwrap().len(), 6);
    let named = sandbox.run(&["graph", "train.bp", "--format", "svg"]).expect(Errors);
    assert_eq!(places(&named.out, "card").len(), 6);
}

#[test]
fn nothing_and_one_noun_have_a_page() {
    let empty = "param project: ProjectId = \"my-project\"\n";
    assert!(drawn(empty, "html").contains("The blueprint has no nouns."));
    assert_eq!(places(&drawn(empty, "svg"), "card").len(), 0);
    let one = format!("{empty}\nbucket data {{\n  location = \"us-east4\"\n}}\n");
    assert_eq!(places(&drawn(&one, "html"), "card").len(), 1);
    let sandbox = Sandbox::new(&[]);
    sandbox.refuses(
        &["graph", "none.bp", "--format", "html"],
        Unusable,
        "there is no file or folder",
    );
}
