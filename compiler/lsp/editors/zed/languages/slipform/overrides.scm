[
  (comment)
  (doc_comment)
] @comment
[
  (string)
  (block_string)
] @string
