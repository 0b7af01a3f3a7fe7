; A noun, a component, a kind and a rule are what classes are elsewhere; a block of any sort is one.
(declaration
  body: (block) @class.inner) @class.outer
(component_declaration
  body: (block) @class.inner) @class.outer
(kind_declaration
  body: (block) @class.inner) @class.outer
(rule_declaration
  body: (rule_body) @function.inner) @function.outer
(block) @block.outer
(if_statement) @conditional.outer
(if_expression) @conditional.outer
(for_statement) @loop.outer
(list_comprehension) @loop.outer
(record_comprehension) @loop.outer
(call_expression) @call.outer
(call_expression
  arguments: (arguments) @call.inner)
(arguments
  (_) @parameter.inner @parameter.outer)
(list
  (_) @parameter.inner @parameter.outer)
(attribute
  name: (identifier) @assignment.lhs
  value: (_) @assignment.inner @assignment.rhs) @assignment.outer
(let_statement
  name: (identifier) @assignment.lhs
  value: (_) @assignment.inner @assignment.rhs) @assignment.outer
(entry
  key: (_) @assignment.lhs
  value: (_) @assignment.inner @assignment.rhs) @assignment.outer
[
  (integer)
  (float)
  (size)
  (duration)
] @number.inner
[
  (comment)
  (doc_comment)
] @comment.inner
((comment)+ @comment.outer)
((doc_comment)+ @comment.outer)
