(declaration
  kind: (identifier) @context
  name: (identifier) @name) @item
(component_declaration
  "component" @context
  name: (identifier) @name) @item
(kind_declaration
  "kind" @context
  name: (identifier) @name) @item
(type_declaration
  "type" @context
  name: (identifier) @name) @item
(rule_declaration
  "rule" @context
  code: (rule_code) @name) @item
(param_statement
  "param" @context
  name: (identifier) @name) @item
(output_statement
  "output" @context
  name: (identifier) @name) @item
