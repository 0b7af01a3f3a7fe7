[
  (source_file)
  (block)
  (rule_body)
  (for_statement)
  (list_comprehension)
  (record_comprehension)
] @local.scope

(param_statement
  name: (identifier) @local.definition.variable.parameter)
(let_statement
  name: (identifier) @local.definition.variable)
(let_clause
  name: (identifier) @local.definition.variable)
(for_statement
  variable: (identifier) @local.definition.variable)
(for_clause
  variable: (identifier) @local.definition.variable)
(list_comprehension
  variable: (identifier) @local.definition.variable)
(record_comprehension
  variable: (identifier) @local.definition.variable)
(declaration
  name: (identifier) @local.definition.variable)
(component_declaration
  name: (identifier) @local.definition.type)
(type_declaration
  name: (identifier) @local.definition.type)
(component_declaration
  body: (block
    (field_declaration
      name: (identifier) @local.definition.variable.other.member)))

(identifier) @local.reference
