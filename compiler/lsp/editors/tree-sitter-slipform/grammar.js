/**
 * Blueprints, as `compiler/syntax/src/grammar.pest` has them: what that grammar reads without a mistake, this one reads without
 * an ERROR. Its own names for mistakes (`err_*`, `no_*`) are not here: tree-sitter recovers by itself.
 *
 * `tests/consumers/editors.py` holds the words and operators against those of the compiler, and both grammars against every
 * blueprint of the project.
 *
 * The end of a line is a token only where something may end (`src/scanner.c`); elsewhere it is a space.
 */

/// <reference types="tree-sitter-cli/dsl" />
// @ts-check

// Weakest first, as `Power` of compiler/syntax/src/operators.rs.
const POWER = {
  or: 1,
  and: 2,
  not: 3,
  compare: 4,
  at: 5,
  range: 6,
  sum: 7,
  product: 8,
  sign: 9,
  postfix: 10,
};

const BINARY = [
  ["or", POWER.or],
  ["and", POWER.and],
  ["==", POWER.compare],
  ["!=", POWER.compare],
  ["<", POWER.compare],
  ["<=", POWER.compare],
  [">", POWER.compare],
  [">=", POWER.compare],
  ["in", POWER.compare],
  ["at", POWER.at],
  ["..", POWER.range],
  ["+", POWER.sum],
  ["-", POWER.sum],
  ["*", POWER.product],
  ["/", POWER.product],
  ["%", POWER.product],
];

// Words that begin a statement; each may also be the name of an attribute, a field or a key.
const STATEMENT_WORDS = [
  "use", "param", "let", "output", "assert", "type", "kind", "rule", "component", "patch", "allow", "for", "if",
  "existing",
];

// Words that begin a value and may yet be the key of an entry or the name of an argument.
const VALUE_WORDS = ["if", "not", "true", "false", "auto"];

/** What stands between brackets: commas or ends of lines between the parts, and perhaps a comma at the end. */
function separated($, part) {
  return optional(seq(part, repeat(seq(choice(",", $._newline), part)), optional(",")));
}

/** Statements of a block or a file, each on its own line. */
function lines($, statement) {
  return optional(seq(statement, repeat(seq($._newline, statement)), optional($._newline)));
}

/** A name where some words would otherwise begin something else. */
function named($, words) {
  return choice($.identifier, ...words.map((word) => alias(word, $.identifier)));
}

const number = /[0-9][0-9_]*/;

module.exports = grammar({
  name: "slipform",

  word: ($) => $.identifier,

  extras: ($) => [/[ \t\r\n]/, $.comment, $.doc_comment],

  externals: ($) => [
    $._newline,
    // In front of `else` on a line below the `}`: the statement goes on.
    $._before_else,
    $._text_dollar,
    $._text_percent,
    $._text_at,
    $._text_two,
    // Never valid: where it is, tree-sitter is recovering and everything is.
    $._recovering,
  ],

  supertypes: ($) => [$.statement, $.clause, $.expression, $.primary_expression, $.type],

  inline: ($) => [$._loop_head, $._number],

  rules: {
    source_file: ($) => lines($, $.statement),

    // ---- statements

    statement: ($) =>
      choice(
        $.attribute,
        $.declaration,
        $.use_statement,
        $.param_statement,
        $.let_statement,
        $.output_statement,
        $.assert_statement,
        $.type_declaration,
        $.kind_declaration,
        $.rule_declaration,
        $.component_declaration,
        $.patch_statement,
        $.allow_statement,
        $.for_statement,
        $.if_statement,
      ),

    attribute: ($) => seq(field("name", named($, STATEMENT_WORDS)), "=", field("value", $.expression)),

    declaration: ($) =>
      seq(
        optional("existing"),
        field("kind", $.identifier),
        field("name", $.identifier),
        optional(seq("on", field("place", $.expression))),
        $._body,
      ),

    use_statement: ($) =>
      seq(
        "use",
        field("path", $.identifier),
        repeat(seq(token.immediate("."), field("path", $.identifier))),
        optional(seq(token.immediate("."), field("names", $.use_names))),
        optional(seq("as", field("alias", $.identifier))),
      ),
    use_names: ($) => seq("{", separated($, $.use_name), "}"),
    use_name: ($) => seq(field("name", $.identifier), optional(seq("as", field("alias", $.identifier)))),

    param_statement: ($) =>
      seq(
        "param",
        field("name", $.identifier),
        optional(seq(":", field("type", $.type))),
        optional(seq("=", field("default", $.expression))),
        optional(seq("where", field("condition", $.expression))),
      ),
    let_statement: ($) => seq("let", $._named_value),
    output_statement: ($) => seq("output", $._named_value),
    _named_value: ($) =>
      seq(
        field("name", $.identifier),
        optional(seq(":", field("type", $.type))),
        "=",
        field("value", $.expression),
      ),

    assert_statement: ($) =>
      seq("assert", field("condition", $.expression), optional(seq(",", field("message", $.expression)))),

    type_declaration: ($) => seq("type", field("name", $.identifier), "=", field("definition", $.type)),

    kind_declaration: ($) =>
      seq(
        "kind",
        field("name", $.identifier),
        optional(seq("in", field("parent", $.identifier))),
        optional(seq("on", field("platform", $.identifier))),
        $._fields_body,
      ),

    component_declaration: ($) => seq("component", field("name", $.identifier), $._fields_body),

    patch_statement: ($) => seq("patch", field("target", $.identifier), $._body),

    allow_statement: ($) => seq("allow", field("code", $.rule_code), field("reason", $.expression)),

    for_statement: ($) =>
      seq("for", $._loop_head, optional(seq("by", field("key", $.expression))), $._body),
    _loop_head: ($) =>
      seq(
        field("variable", $.identifier),
        optional(seq(",", field("variable", $.identifier))),
        "in",
        field("items", $.expression),
      ),

    if_statement: ($) =>
      seq(
        "if",
        field("condition", $.expression),
        field("then", $._body),
        repeat($.else_if_clause),
        optional($.else_clause),
      ),
    else_if_clause: ($) =>
      seq(optional($._before_else), "else", "if", field("condition", $.expression), $._body),
    else_clause: ($) => seq(optional($._before_else), "else", $._body),

    // The brace may stand on a line below.
    _body: ($) => seq(optional($._newline), field("body", $.block)),
    block: ($) => seq("{", lines($, $.statement), "}"),
    // Blocks that declare fields, too.
    _fields_body: ($) => seq(optional($._newline), field("body", alias($.fields, $.block))),
    fields: ($) => seq("{", lines($, choice($.statement, $.field_declaration)), "}"),

    field_declaration: ($) =>
      seq(
        optional("derived"),
        field("name", named($, [...STATEMENT_WORDS, "derived"])),
        ":",
        field("type", $.type),
        optional(seq("=", field("default", $.expression))),
      ),

    // ---- rules

    rule_declaration: ($) =>
      seq(
        "rule",
        field("code", $.rule_code),
        optional(seq("on", field("kind", $.rule_kind), repeat(seq("|", field("kind", $.rule_kind))))),
        optional($._newline),
        field("body", $.rule_body),
      ),
    rule_code: (_) => /[_\p{XID_Start}][\p{XID_Continue}\/-]*/u,
    rule_kind: ($) => seq($.identifier, repeat(seq(token.immediate("."), $.identifier))),
    rule_body: ($) => seq("{", lines($, $.clause), "}"),

    // The words of clauses are those of `ClauseWord` in compiler/syntax/src/tree/rule.rs.
    clause: ($) =>
      choice(
        $.when_clause,
        $.require_clause,
        $.message_clause,
        $.label_clause,
        $.let_clause,
        $.for_clause,
        $.fix_clause,
        $.since_clause,
      ),
    when_clause: ($) => seq("when", field("condition", $.expression)),
    require_clause: ($) => seq("require", field("condition", $.expression)),
    message_clause: ($) =>
      seq(field("word", choice("error", "warning", "help", "symptom")), field("text", $.expression)),
    label_clause: ($) => seq("label", field("place", $._place), field("text", $.expression)),
    let_clause: ($) => seq("let", field("name", $.identifier), "=", field("value", $.expression)),
    for_clause: ($) => seq("for", $._loop_head),
    fix_clause: ($) =>
      seq(
        "fix",
        choice(
          seq("remove", field("place", $._place)),
          seq("set", field("place", $._place), "=", field("value", $.expression)),
        ),
      ),
    since_clause: ($) => seq("since", field("edition", $.expression)),

    _place: ($) => choice($.identifier, $.member_expression, $.index_expression, $.call_expression),

    // ---- expressions

    expression: ($) =>
      choice(
        $.binary_expression,
        $.unary_expression,
        $.set_test,
        $.primary_expression,
      ),

    // What may stand in front of a `.`, a `(` or a `[`.
    primary_expression: ($) =>
      choice(
        $.member_expression,
        $.index_expression,
        $.call_expression,
        $.parenthesized_expression,
        $.if_expression,
        $.list,
        $.list_comprehension,
        $.record,
        $.record_comprehension,
        $.string,
        $.block_string,
        $._number,
        $.boolean,
        $.auto,
        $.identifier,
      ),

    binary_expression: ($) =>
      choice(
        ...BINARY.map(([operator, power]) =>
          prec.left(
            power,
            seq(field("left", $.expression), field("operator", operator), field("right", $.expression)),
          ),
        ),
      ),

    unary_expression: ($) =>
      choice(
        prec(POWER.not, seq(field("operator", "not"), field("operand", $.expression))),
        prec(POWER.sign, seq(field("operator", "-"), field("operand", $.expression))),
      ),

    set_test: ($) =>
      prec.left(POWER.compare, seq(field("operand", $.expression), "is", optional("not"), "set")),

    // `.`, `(` and `[` follow at once: with a space in front they begin something new.
    member_expression: ($) =>
      prec(POWER.postfix, seq(field("object", $.primary_expression), token.immediate("."), field("member", $.identifier))),
    index_expression: ($) =>
      prec(POWER.postfix, seq(field("object", $.primary_expression), token.immediate("["), field("index", $.expression), "]")),
    call_expression: ($) =>
      prec(POWER.postfix, seq(field("function", $.primary_expression), field("arguments", $.arguments))),
    arguments: ($) => seq(token.immediate("("), separated($, choice($.argument, $.expression)), ")"),
    argument: ($) =>
      seq(field("name", named($, VALUE_WORDS)), "=", field("value", $.expression)),

    parenthesized_expression: ($) => seq("(", $.expression, ")"),

    if_expression: ($) =>
      seq(
        "if",
        field("condition", $.expression),
        field("then", $._value_body),
        repeat(
          seq(
            optional($._before_else),
            "else",
            "if",
            field("condition", $.expression),
            field("then", $._value_body),
          ),
        ),
        optional($._before_else),
        "else",
        field("else", $._value_body),
      ),
    _value_body: ($) => seq(optional($._newline), $.value_block),
    value_block: ($) => seq("{", $.expression, "}"),

    list: ($) => seq("[", separated($, $.expression), "]"),
    list_comprehension: ($) =>
      seq("[", "for", $._loop_head, optional($.comprehension_filter), $.value_block, "]"),
    comprehension_filter: ($) => seq("if", field("condition", $.expression)),

    record: ($) => seq("{", separated($, $.entry), "}"),
    entry: ($) =>
      seq(field("key", choice(named($, ["for"]), $.string)), "=", field("value", $.expression)),
    record_comprehension: ($) =>
      seq("{", "for", $._loop_head, optional($.comprehension_filter), $.entry_block, "}"),
    entry_block: ($) => seq("{", field("key", $.expression), "=", field("value", $.expression), "}"),

    boolean: (_) => choice("true", "false"),
    auto: (_) => "auto",

    // ---- types

    type: ($) =>
      choice(
        $.union_type,
        $.named_type,
        $.constructor_type,
        $.word_type,
        $.list_type,
        $.record_type,
        $.parenthesized_type,
        $.optional_type,
        $.deferred_type,
        $.limited_type,
      ),

    union_type: ($) => prec.left(1, choice(seq("|", $.type), seq($.type, "|", $.type))),
    named_type: ($) => $.identifier,
    constructor_type: ($) =>
      seq(field("name", $.identifier), token.immediate("("), separated($, $.type_field), ")"),
    word_type: ($) => $.string,
    list_type: ($) => seq("[", $.type, "]"),
    record_type: ($) => seq("{", separated($, $.type_field), "}"),
    parenthesized_type: ($) => seq("(", $.type, ")"),
    optional_type: ($) => prec(4, seq($.type, "?")),
    deferred_type: ($) => prec(3, seq("deferred", $.type)),
    limited_type: ($) =>
      prec.right(
        2,
        seq(
          field("type", $.type),
          choice(
            seq("in", field("range", $.expression)),
            seq("matching", field("pattern", $.expression)),
          ),
        ),
      ),
    type_field: ($) =>
      seq(
        field("name", named($, ["deferred"])),
        ":",
        field("type", $.type),
        optional(seq("=", field("default", $.expression))),
      ),

    // ---- literals

    _number: ($) =>
      choice($.integer, $.float, $.size, $.duration, $.topology, $.address, $.cidr, $.quantity),
    integer: (_) => token(number),
    float: (_) => token(seq(number, ".", number)),
    size: (_) => token(seq(number, optional(seq(".", number)), choice("B", seq(/[KMGTP]/, optional("i"), "B")))),
    duration: (_) => token(repeat1(seq(number, optional(seq(".", number)), /[wdhms]/))),
    topology: (_) => token(seq(number, repeat1(seq("x", number)))),
    address: (_) => token(/[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+/),
    cidr: (_) => token(/[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+\/[0-9]+/),
    // A number with a unit that there is not: the compiler reads it and tells so later. Of equal lengths the first one wins, so this
    // one is last.
    quantity: (_) => token(/[0-9]\p{XID_Continue}*(\.\p{XID_Continue}+)*/u),

    string: ($) => seq('"', optional($.string_content), token.immediate('"')),
    string_content: ($) =>
      repeat1(
        choice(
          token.immediate(prec(1, /[^"\\$\n]+/)),
          token.immediate("$"),
          $.escape_sequence,
          alias($._interpolation_dollar, $.interpolation),
        ),
      ),
    escape_sequence: (_) => token.immediate(/\\(u\{[0-9a-fA-F]*\}|[nrt"\\$])/),

    // What stands in front of the quotes is the sign of its interpolations.
    block_string: ($) =>
      choice(
        seq('"""', optional(alias($._content_dollar, $.string_content)), token.immediate('"""')),
        seq('%"""', optional(alias($._content_percent, $.string_content)), token.immediate('"""')),
        seq('@"""', optional(alias($._content_at, $.string_content)), token.immediate('"""')),
        seq('$$"""', optional(alias($._content_two, $.string_content)), token.immediate('"""')),
      ),
    _content_dollar: ($) => repeat1(choice($._text_dollar, alias($._interpolation_dollar, $.interpolation))),
    _content_percent: ($) => repeat1(choice($._text_percent, alias($._interpolation_percent, $.interpolation))),
    _content_at: ($) => repeat1(choice($._text_at, alias($._interpolation_at, $.interpolation))),
    _content_two: ($) => repeat1(choice($._text_two, alias($._interpolation_two, $.interpolation))),
    _interpolation_dollar: ($) => seq(token.immediate("${"), $.expression, "}"),
    _interpolation_percent: ($) => seq(token.immediate("%{"), $.expression, "}"),
    _interpolation_at: ($) => seq(token.immediate("@{"), $.expression, "}"),
    _interpolation_two: ($) => seq(token.immediate("$${"), $.expression, "}"),

    identifier: (_) => /[_\p{XID_Start}]\p{XID_Continue}*/u,

    // ---- comments

    // Exactly two signs are the documentation of what stands below. Both tokens fit that: of equal lengths the first one wins.
    doc_comment: (_) => token(choice("##", /##[^#\n][^\n]*/)),
    comment: (_) => token(/#[^\n]*/),
  },
});
