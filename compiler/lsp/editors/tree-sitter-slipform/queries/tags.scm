(declaration
  kind: (identifier)
  name: (identifier) @name) @definition.constant
(component_declaration
  name: (identifier) @name) @definition.class
(kind_declaration
  name: (identifier) @name) @definition.class
(type_declaration
  name: (identifier) @name) @definition.type
(rule_declaration
  code: (rule_code) @name) @definition.function
(param_statement
  name: (identifier) @name) @definition.constant
(output_statement
  name: (identifier) @name) @definition.constant
