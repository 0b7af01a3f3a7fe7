-- Neovim takes `.bp` for Android's blueprints.
vim.filetype.add({ extension = { bp = "slipform" } })
