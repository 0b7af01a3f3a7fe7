local set = vim.opt_local
set.commentstring = "# %s"
set.comments = { ":##", ":#" }
set.formatoptions:append("croql")
set.formatoptions:remove("t")
set.expandtab = true
set.shiftwidth = 2
set.softtabstop = 2
set.tabstop = 2

-- Without the parser blueprints are plain text, and `:SlipformParser` is the way to it.
if pcall(vim.treesitter.start) then
  set.foldexpr = "v:lua.vim.treesitter.foldexpr()"
end

vim.b.undo_ftplugin = "setlocal commentstring< comments< formatoptions< expandtab< shiftwidth< softtabstop< tabstop< foldexpr<"
  .. " | call v:lua.vim.treesitter.stop()"
