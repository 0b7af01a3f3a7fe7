-- The language server for blueprints, the files that it alone has, and the parser that colours them.

if vim.g.loaded_slipform then
  return
end
vim.g.loaded_slipform = true

-- 0.11 knows servers by name, so that `vim.lsp.config("slipform", { ... })` changes what is said in `lua/slipform.lua`.
if vim.lsp.config then
  vim.lsp.config("slipform", require("slipform").server())
  vim.lsp.enable("slipform")
else
  vim.api.nvim_create_autocmd("FileType", {
    pattern = "slipform",
    callback = function(event)
      require("slipform").start(event.buf)
    end,
  })
end

for name, command in pairs(require("slipform").commands) do
  vim.lsp.commands[name] = command
end

-- Definitions lead into the standard library, whose files are at the server: `slipform:/std/kinds/cluster.bp`.
vim.api.nvim_create_autocmd("BufReadCmd", {
  pattern = "*slipform:/*",
  callback = function(event)
    require("slipform").library(event.buf, event.match)
  end,
})

vim.api.nvim_create_user_command("SlipformParser", function()
  require("slipform").compile()
end, { desc = "Compile the tree-sitter parser for blueprints" })
