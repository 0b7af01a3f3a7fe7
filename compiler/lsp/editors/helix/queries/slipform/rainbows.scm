[
  (block)
  (rule_body)
  (value_block)
  (entry_block)
  (list)
  (list_comprehension)
  (record)
  (record_comprehension)
  (record_type)
  (list_type)
  (constructor_type)
  (arguments)
  (parenthesized_expression)
  (interpolation)
] @rainbow.scope

[
  "("
  ")"
  "["
  "]"
  "{"
  "}"
] @rainbow.bracket
