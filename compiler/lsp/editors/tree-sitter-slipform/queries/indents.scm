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
  (constructor_type)
  (arguments)
  (parenthesized_expression)
  (use_names)
] @indent.begin
[
  "}"
  "]"
  ")"
] @indent.branch @indent.end
; The text of a string is its own.
(block_string) @indent.auto
(ERROR) @indent.auto
