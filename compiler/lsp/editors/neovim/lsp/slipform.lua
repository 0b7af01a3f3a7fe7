-- Neovim 0.11 and newer read this; what `vim.lsp.config("slipform", { ... })` says goes over it.
return require("slipform").server()
