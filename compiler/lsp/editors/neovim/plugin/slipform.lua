-- The language server for blueprints, the files that it alone has, and the parser that colours them.

if vim.g.loaded_slipform then
  return
end
vim.g.loaded_slipform = true

-- 0.11 knows servers by name: `lsp/slipform.lua` says what this one is.
if vim.lsp.config then
  vim.lsp.enable("slipform")
else
  vim.api.nvim_create_autocmd("FileType", {
    pattern = "slipform",
    callback = function(event)
      require("slipform").start(event.buf)
    end,
  })
end

-- What is no blueprint, and says something of those beside it, is served as well.
vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile" }, {
  pattern = { "slipform.toml", "catalog.local.toml" },
  callback = function(event)
    require("slipform").start(event.buf)
  end,
})

for name, command in pairs(require("slipform").commands) do
  vim.lsp.commands[name] = command
end

-- Definitions lead into the standard library, and problems to what they mean, whose texts are at the server:
-- `slipform:/std/kinds/cluster.bp`, `slipform:/explain/names/unknown`.
vim.api.nvim_create_autocmd("BufReadCmd", {
  pattern = "*slipform:/*",
  callback = function(event)
    require("slipform").library(event.buf, event.match)
  end,
})

vim.api.nvim_create_user_command("SlipformExplain", function()
  require("slipform").explain()
end, { desc = "Explain the problem of the line" })

for name, act in pairs({
  SlipformRun = { "run", "Check, build or test" },
  SlipformDocs = { "documentation", "Open the page that says more of what the cursor is on" },
}) do
  vim.api.nvim_create_user_command(name, function()
    require("slipform")[act[1]]()
  end, { desc = act[2] })
end

vim.api.nvim_create_user_command("SlipformJoin", function(command)
  require("slipform").join(command.line1, command.line2)
end, { range = true, desc = "Join lines as what they are in is written in one" })

vim.api.nvim_create_user_command("SlipformMove", function(command)
  require("slipform").move(command.args)
end, {
  nargs = 1,
  complete = function()
    return { "Up", "Down" }
  end,
  desc = "Let what the cursor is in change places with its neighbour",
})

-- What is rendered and shown beside goes with the text and the cursor.
vim.api.nvim_create_autocmd({ "TextChanged", "TextChangedI" }, {
  pattern = "*.bp",
  callback = function()
    local beside = require("slipform").beside
    if beside and not beside.waits then
      beside.waits = true
      vim.defer_fn(function()
        beside.waits = false
        require("slipform").refresh()
      end, 400)
    end
  end,
})
vim.api.nvim_create_autocmd({ "CursorMoved", "CursorMovedI" }, {
  pattern = "*.bp",
  callback = function()
    require("slipform").follow()
  end,
})

vim.api.nvim_create_user_command("SlipformParser", function()
  require("slipform").compile()
end, { desc = "Compile the tree-sitter parser for blueprints" })
