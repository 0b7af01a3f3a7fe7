; Captures as themes of Zed name them; a later pattern goes before an earlier one.
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
  name: (identifier) @variable)
(rule_declaration
  code: (rule_code) @label)
(allow_statement
  code: (rule_code) @label)
(rule_kind
  (identifier) @type)
(use_statement
  path: (identifier) @type)
(use_statement
  alias: (identifier) @type)
(use_name
  (identifier) @type)

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
  name: (identifier) @variable)
(member_expression
  member: (identifier) @property)

((identifier) @variable.special
  (#eq? @variable.special "self"))

; Types

(named_type
  (identifier) @type)
((named_type
  (identifier) @type)
  (#any-of? @type "bool" "int" "float" "string"))
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
    name: (identifier) @type
    !default) .)
  (#eq? @type "string"))
(constructor_type
  name: (identifier) @constructor)

; Calls: what is no function of the language is a constructor

(call_expression
  function: (identifier) @constructor)
((call_expression
  function: (identifier) @function)
  (#any-of? @function
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
  pattern: (string) @string.regex)
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
(float) @number
(boolean) @boolean
(auto) @constant

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
] @keyword
[
  "existing"
  "derived"
  "deferred"
] @keyword
[
  "use"
  "as"
] @keyword
[
  "if"
  "else"
] @keyword
"for" @keyword
[
  "and"
  "or"
  "not"
  "in"
  "at"
  "is"
  "set"
  "matching"
] @keyword

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

(comment) @comment
(doc_comment) @comment.doc
