//! The layout, shown by what becomes of texts.

#![allow(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "tests fail by panicking"
)]

use slipform_source::FileId;
use slipform_syntax::{format, parse};

fn laid_out(text: &str) -> String {
    format(&parse(FileId(0), text), text)
}

/// `text` becomes `layout`, and `layout` stays.
#[track_caller]
fn becomes(text: &str, layout: &str) {
    assert_eq!(laid_out(text), layout);
    assert_eq!(laid_out(layout), layout, "a second time");
}

#[test]
fn attributes_of_neighbouring_lines_align() {
    becomes(
        "a b {\nx=1\nlong_name  =  2\n\n\nz = 3\n  # note\n  yy = 4\n  list = [\n 1 ]\n q = 5\n}\n",
        "a b {\n  x         = 1\n  long_name = 2\n\n  z = 3\n  # note\n  yy = 4\n  list = [\n    1,\n  ]\n  q = 5\n}\n",
    );
}

#[test]
fn comments_keep_their_places() {
    becomes(
        "# top\n\n\n# next\nlet x = 1# one\na b {#open\n x = 1 # one\n  yy = 22 # two\n\n # last\n}# close\n#end",
        "# top\n\n# next\nlet x = 1  # one\na b {  #open\n  x  = 1   # one\n  yy = 22  # two\n\n  # last\n}  # close\n#end\n",
    );
    becomes(
        "let x = [ # open\n  1, # one\n  # two\n  2 # deux\n  # end\n]\n",
        "let x = [  # open\n  1,  # one\n  # two\n  2,  # deux\n  # end\n]\n",
    );
}

#[test]
fn a_comment_without_a_place_in_the_layout_keeps_its_statement_as_it_is() {
    let text = "let x = a   and # why\n    b\n";
    becomes(text, text);
}

#[test]
fn brackets_are_broken_where_they_do_not_fit_or_the_author_broke_them() {
    becomes("let x = [1,2,\n3]\n", "let x = [1, 2, 3]\n");
    becomes("let x = [\n1,2,\n3]\n", "let x = [\n  1,\n  2,\n  3,\n]\n");
    becomes("let x = {a=1}\n", "let x = { a = 1 }\n");
    becomes("let x = {\n a=1, bcd = 2}\n", "let x = {\n  a   = 1,\n  bcd = 2,\n}\n");
    becomes("let x = f(\n 1, a=2)\n", "let x = f(\n  1,\n  a = 2,\n)\n");
    let word = "\"0123456789012345678901234567890123456789\"";
    becomes(
        &format!("let x = [{word}, {word}, {word}]\n"),
        &format!("let x = [\n  {word},\n  {word},\n  {word},\n]\n"),
    );
    becomes(
        &format!("let x = f({word}, a = {{ b = {word}, c = {word} }})\n"),
        &format!("let x = f({word}, a = {{\n  b = {word},\n  c = {word},\n}})\n"),
    );
}

#[test]
fn long_conditions_are_broken_behind_each_link() {
    let word = "a_rather_long_name_of_a_condition_that_holds";
    becomes(
        &format!("let x = {word} and {word} and {word}\n"),
        &format!("let x = {word} and\n  {word} and\n  {word}\n"),
    );
    becomes("let x = (a\n and b)\n", "let x = (a and\n  b)\n");
}

#[test]
fn small_blocks_stay_on_their_line() {
    becomes("a b{x=1}\n", "a b { x = 1 }\n");
    becomes("a b { }\n", "a b {}\n");
    becomes("a b\n{\n x=1 }\n", "a b {\n  x = 1\n}\n");
    becomes("if a { x = 1 }\nelse { y = 2 }\n", "if a {\n  x = 1\n} else {\n  y = 2\n}\n");
}

#[test]
fn the_lines_of_a_rule_align() {
    becomes(
        "rule a/b on c {\n when x\n require y == 1\n label a \"t\"\n label long.name \"t\"\n fix set a = 1\n}\n",
        "rule a/b on c {\n  when    x\n  require y == 1\n  label   a         \"t\"\n  label   long.name \"t\"\n  fix     set a = 1\n}\n",
    );
}

#[test]
fn types_are_spaced_and_keep_the_parentheses_they_need() {
    becomes(
        "kind k {\na:int|string?=1\nb:{string:[int]}\n}\n",
        "kind k {\n  a: int | string? = 1\n  b: {string: [int]}\n}\n",
    );
    becomes("type T = (a|b)?\n", "type T = (a | b)?\n");
    becomes("type T = ((a))|(deferred b)?\n", "type T = a | deferred b?\n");
    becomes("type T = |a\n|b\n", "type T =\n  | a\n  | b\n");
    becomes(
        "type T = {\n## doc\na: int,b: int}\n",
        "type T = {\n  ## doc\n  a: int\n  b: int\n}\n",
    );
}

#[test]
fn multi_line_strings_are_left_alone() {
    let text = "a b {\n  x = %\"\"\"\n      a\n\n    b ${c}\n    \"\"\"\n  y = 1\n}\n";
    becomes(text, text);
}

#[test]
fn a_file_with_mistakes_is_laid_out_where_it_is_sound() {
    becomes(
        "a b {\nx=1\n  y   =   (1 +\n    z=2\n}\nlet q=1\nc d {\n    x=[1,\nlet r=2\n",
        "a b {\n  x = 1\n  y   =   (1 +\n  z = 2\n}\nlet q = 1\nc d {\n    x=[1,\nlet r = 2\n",
    );
}

#[test]
fn empty_files_stay_empty() {
    becomes("", "");
    becomes("\n\n", "");
    becomes("# only\n", "# only\n");
}

#[test]
fn no_line_is_longer_than_it_must_be() {
    for sample in [include_str!("samples/training.bp"), include_str!("samples/constructs.bp")] {
        let layout = laid_out(sample);
        let long: Vec<_> = layout
            .lines()
            .map(|line| line.split("  #").next().unwrap())
            .filter(|line| line.len() > 100)
            .collect();
        assert_eq!(long, [""; 0]);
    }
}
