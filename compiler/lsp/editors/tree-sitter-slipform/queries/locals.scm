[
  (source_file)
  (block)
  (rule_body)
  (for_statement)
  (list_comprehension)
  (record_comprehension)
] @local.scope

(param_statement
  name: (identifier) @local.definition.parameter)
(let_statement
  name: (identifier) @local.definition.var)
(let_clause
  name: (identifier) @local.definition.var)
(for_statement
  variable: (identifier) @local.definition.var)
(for_clause
  variable: (identifier) @local.definition.var)
(list_comprehension
  variable: (identifier) @local.definition.var)
(record_comprehension
  variable: (identifier) @local.definition.var)
(declaration
  name: (identifier) @local.definition.var)
(component_declaration
  name: (identifier) @local.definition.type)
(type_declaration
  name: (identifier) @local.definition.type)
(component_declaration
  body: (block
    (field_declaration
      name: (identifier) @local.definition.field)))

(identifier) @local.reference
