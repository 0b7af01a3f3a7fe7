; A noun, a component and a kind are what classes are elsewhere, a rule what a function is.
(declaration
  body: (block) @class.inside) @class.around
(component_declaration
  body: (block) @class.inside) @class.around
(kind_declaration
  body: (block) @class.inside) @class.around
(rule_declaration
  body: (rule_body) @function.inside) @function.around
(arguments
  (_) @parameter.inside @parameter.around)
(list
  (_) @entry.inside @entry.around)
(entry
  value: (_) @entry.inside) @entry.around
(attribute
  value: (_) @entry.inside) @entry.around
[
  (comment)
  (doc_comment)
] @comment.inside
(comment)+ @comment.around
(doc_comment)+ @comment.around
