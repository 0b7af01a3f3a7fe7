; Captures as nvim-treesitter names them; a later pattern goes before an earlier one.
; `tests/consumers/editors.py` holds the list of functions against the compiler's.

(identifier) @variable

; What is declared

(declaration
  kind: (identifier) @type
  name: (identifier) @constant)
(type_declaration
  name: (identifier) @type.definition)
(kind_declaration
  name: (identifier) @type.definition)
(kind_declaration
  parent: (identifier) @type)
(component_declaration
  name: (identifier) @type.definition)
(param_statement
  name: (identifier) @variable.parameter)
(rule_declaration
  code: (rule_code) @label)
(allow_statement
  code: (rule_code) @label)
(rule_kind
  (identifier) @type)
(use_statement
  path: (identifier) @module)
(use_statement
  alias: (identifier) @module)
(use_name
  (identifier) @module)

; Names of fields

(attribute
  name: (identifier) @property)
(field_declaration
  name: (identifier) @property)
(type_field
  name: (identifier) @property)
(entry
  key: (identifier) @property)
(argument
  name: (identifier) @variable.parameter)
(member_expression
  member: (identifier) @variable.member)

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
  key: (string) @property)
(limited_type
  pattern: (string) @string.regexp)
(escape_sequence) @string.escape
[
  (integer)
  (size)
  (duration)
  (topology)
  (address)
  (cidr)
  (quantity)
] @number
(float) @number.float
(boolean) @boolean
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
] @keyword.type
[
  "existing"
  "derived"
  "deferred"
] @keyword.modifier
[
  "use"
  "as"
] @keyword.import
[
  "if"
  "else"
] @keyword.conditional
"for" @keyword.repeat
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

(comment) @comment @spell
(doc_comment) @comment.documentation @spell
