; Captures as themes of Helix name them; a later pattern goes before an earlier one.
; `tests/consumers/editors.py` holds the list of functions against the compiler's.

(identifier) @variable

; What is declared

(declaration
  kind: (identifier) @type
  name: (identifier) @constant)
(type_declaration
  name: (identifier) @type)
(kind_declaration
  name: (identifier) @type)
(kind_declaration
  parent: (identifier) @type)
(component_declaration
  name: (identifier) @type)
(param_statement
  name: (identifier) @variable.parameter)
(rule_declaration
  code: (rule_code) @label)
(allow_statement
  code: (rule_code) @label)
(rule_kind
  (identifier) @type)
(use_statement
  path: (identifier) @namespace)
(use_statement
  alias: (identifier) @namespace)
(use_name
  (identifier) @namespace)

; Names of fields

(attribute
  name: (identifier) @variable.other.member)
(field_declaration
  name: (identifier) @variable.other.member)
(type_field
  name: (identifier) @variable.other.member)
(entry
  key: (identifier) @variable.other.member)
(argument
  name: (identifier) @variable.parameter)
(member_expression
  member: (identifier) @variable.other.member)

((identifier) @variable.builtin
  (#eq? @variable.builtin "self"))

; Types

(named_type
  (identifier) @type)
((named_type
  (identifier) @type.builtin)
  (#any-of? @type.builtin "bool" "int" "float" "string"))
; The only name of a map is the type of its keys
((record_type
  .
  (type_field
    name: (identifier) @type
    !default) .)
  (#match? @type "^[A-Z]"))
((record_type
  .
  (type_field
    name: (identifier) @type.builtin
    !default) .)
  (#eq? @type.builtin "string"))
(constructor_type
  name: (identifier) @constructor)

; Calls: what is no function of the language is a constructor

(call_expression
  function: (identifier) @constructor)
((call_expression
  function: (identifier) @function.builtin)
  (#any-of? @function.builtin
    "all" "before" "ceil" "chips" "compute_capability" "counted" "covers" "ends_with" "floor" "form" "hosts" "join" "keys" "len"
    "limit" "lower" "matches" "max" "merge" "min" "offered_in" "older" "overlaps" "product" "region_of" "replace" "split"
    "starts_with" "subnet" "sum" "text" "upper"))

; Literals

[
  (string)
  (block_string)
] @string
(entry
  key: (string) @variable.other.member)
(limited_type
  pattern: (string) @string.regexp)
(escape_sequence) @constant.character.escape
[
  (integer)
  (size)
  (duration)
  (topology)
  (address)
  (cidr)
  (quantity)
] @constant.numeric
(float) @constant.numeric.float
(boolean) @constant.builtin.boolean
(auto) @constant.builtin

; Words

[
  "param"
  "let"
  "output"
  "assert"
  "allow"
  "patch"
  "on"
  "by"
  "where"
  "when"
  "require"
  "error"
  "warning"
  "help"
  "symptom"
  "label"
  "fix"
  "remove"
  "since"
] @keyword
[
  "type"
  "kind"
  "component"
  "rule"
] @keyword.storage.type
[
  "existing"
  "derived"
  "deferred"
] @keyword.storage.modifier
[
  "use"
  "as"
] @keyword.control.import
[
  "if"
  "else"
] @keyword.control.conditional
"for" @keyword.control.repeat
[
  "and"
  "or"
  "not"
  "in"
  "at"
  "is"
  "set"
  "matching"
] @keyword.operator

; Signs

[
  "=="
  "!="
  "<"
  "<="
  ">"
  ">="
  ".."
  "+"
  "-"
  "*"
  "/"
  "%"
  "="
  "|"
  "?"
] @operator
[
  "."
  ","
  ":"
] @punctuation.delimiter
[
  "("
  ")"
  "["
  "]"
  "{"
  "}"
] @punctuation.bracket
(interpolation
  [
    "${"
    "%{"
    "@{"
    "$${"
    "}"
  ] @punctuation.special)

; Comments

(comment) @comment.line
(doc_comment) @comment.line.documentation
