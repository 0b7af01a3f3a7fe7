; Interpolations are nodes of their own in the text of a string, so that they are no part of what is injected.

((comment) @content
  (#set! "language" "comment"))

; `["bash", "-c", "..."]`: the text is a script; with `python3` it is a program.
((list
  .
  (string
    (string_content) @_program)
  .
  (string
    (string_content) @_option)
  .
  (_
    (string_content) @content))
  (#any-of? @_program "bash" "sh" "/bin/bash" "/bin/sh" "/usr/bin/bash")
  (#any-of? @_option "-c" "-ec" "-lc" "-euc" "-xc")
  (#set! "language" "bash"))
((list
  .
  (string
    (string_content) @_program)
  .
  (string
    (string_content) @_option)
  .
  (_
    (string_content) @content))
  (#any-of? @_program "python" "python3")
  (#eq? @_option "-c")
  (#set! "language" "python"))

; The lines that build an image are a shell's.
((declaration
  kind: (identifier) @_kind
  body: (block
    (attribute
      name: (identifier) @_field
      value: (list
        [
          (string
            (string_content) @content)
          (block_string
            (string_content) @content)
        ]))))
  (#eq? @_kind "image")
  (#eq? @_field "run")
  (#set! "language" "bash"))

; A text of several lines that says itself what it is; those in lists are spoken of above.
([
  (let_statement
    value: (block_string
      (string_content) @content))
  (attribute
    value: (block_string
      (string_content) @content))
  (argument
    value: (block_string
      (string_content) @content))
  (entry
    value: (block_string
      (string_content) @content))
]
  (#match? @content "^\\s*(#!/bin/(ba)?sh|#!/usr/bin/env (ba)?sh|set -[a-z]+)")
  (#set! "language" "bash"))
([
  (let_statement
    value: (block_string
      (string_content) @content))
  (attribute
    value: (block_string
      (string_content) @content))
  (argument
    value: (block_string
      (string_content) @content))
  (entry
    value: (block_string
      (string_content) @content))
]
  (#match? @content "^\\s*(#!/usr/bin/env python|import [a-z]|from [a-z.]+ import )")
  (#set! "language" "python"))

((limited_type
  pattern: (string
    (string_content) @content))
  (#set! "language" "regex"))
((call_expression
  function: (identifier) @_function
  arguments: (arguments
    (string
      (string_content) @content) .))
  (#eq? @_function "matches")
  (#set! "language" "regex"))
