//! Sentences of `docs/architecture.md` that no type and no crate edge holds: they are read off the sources.

#![allow(clippy::unwrap_used, reason = "what a test takes for granted fails it")]

use slipform_tests::{files, root};
use std::fs;

/// The sources of a folder without their tests.
fn sources(folder: &str) -> Vec<(String, String)> {
    let all = files(folder, ".rs").into_iter().map(|path| path.into_string());
    let own = all.filter(|path| !path.contains("/tests"));
    let read = own.map(|path| {
        let text = fs::read_to_string(root().join(&path)).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().lines();
        let text: String = code.filter(|line| !line.trim_start().starts_with("//")).collect();
        (path, text)
    });
    read.collect()
}

#[test]
fn targets_never_look_at_each_other() {
    let targets = ["terraform", "images", "kubernetes", "slurm", "vertex"];
    let mut looks = Vec::new();
    for target in targets {
        for (path, text) in sources(&format!("targets/{target}")) {
            let others = targets.iter().filter(|other| **other != target);
            let seen = others.filter(|other| text.contains(&format!("crate::{other}")));
            looks.extend(seen.map(|other| format!("{path} looks at {other}")));
        }
    }
    assert!(looks.is_empty(), "{looks:#?}");
}

#[test]
fn nothing_below_the_programs_asks_the_world() {
    let folders = [
        "compiler/source/src",
        "compiler/syntax/src",
        "compiler/model/src",
        "compiler/analysis/src",
        "targets",
    ];
    let doors =
        ["std::fs", "std::env", "TcpStream", "UdpSocket", "std::process", "SystemTime", "Instant"];
    let mut asks = Vec::new();
    for (path, text) in folders.into_iter().flat_map(sources) {
        let used = doors.iter().filter(|door| text.contains(**door));
        asks.extend(used.map(|door| format!("{path} uses {door}")));
    }
    assert!(asks.is_empty(), "{asks:#?}");
}
