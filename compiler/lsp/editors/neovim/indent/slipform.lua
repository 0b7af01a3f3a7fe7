vim.bo.indentexpr = "v:lua.require'slipform'.indent(v:lnum)"
vim.bo.indentkeys = "0},0],0),!^F,o,O"
vim.b.undo_indent = "setlocal indentexpr< indentkeys<"
