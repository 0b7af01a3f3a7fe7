-- What is tried in Neovim. Each case begins with the project's blueprint as it is.

--- What is reported in the buffer, a line each.
local function reports(nvim)
  return table.concat(nvim.lua([[
    return vim.tbl_map(function(it) return it.code .. ": " .. it.message end, vim.diagnostic.get(0))
  ]]), "\n")
end

local function mistaken(nvim)
  nvim.go("network = fabric", "fabric")
  nvim.keys("ciwfabrik<Esc>")
  nvim.wait("the report", function()
    return reports(nvim):find("names/unknown: nothing here is called `fabrik`", 1, true)
  end)
end

local function name(nvim)
  return nvim.lua("return vim.api.nvim_buf_get_name(0)")
end

--- The texts of all windows.
local function shown(nvim)
  return nvim.lua([[
    local texts = {}
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      vim.list_extend(texts, vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false))
    end
    return table.concat(texts, "\n")
  ]])
end

local function sees(nvim, what, part)
  nvim.wait(what, function()
    return shown(nvim):find(part, 1, true)
  end)
end

return {
  {
    "a blueprint is opened",
    function(nvim)
      nvim.wait("the server", function()
        return nvim.lua("return vim.bo.filetype == 'slipform' and next((vim.lsp.get_clients or vim.lsp.get_active_clients)()) ~= nil")
      end)
    end,
  },
  {
    "a field is completed while it is typed",
    function(nvim)
      nvim.keys("Gonetwork other {<CR>reg<C-x><C-o>")
      nvim.wait("the field", function()
        return nvim.text():match("\nnetwork other {\n%s*region")
      end)
    end,
  },
  {
    "a mistake is reported and mended",
    function(nvim)
      mistaken(nvim)
      nvim.lua("vim.lsp.buf.code_action()")
      nvim.wait("the right name", function()
        return nvim.text():find("network = fabric\n", 1, true)
      end)
      nvim.wait("no report", function()
        return reports(nvim) == ""
      end)
    end,
  },
  {
    "a report is explained",
    since = "0.10",
    function(nvim)
      mistaken(nvim)
      nvim.lua("vim.cmd('SlipformExplain')")
      sees(nvim, "what the code means", "nothing is called so here")
    end,
  },
  {
    "a name is renamed",
    function(nvim)
      nvim.go("network fabric", "fabric")
      nvim.lua("vim.lsp.buf.rename('mesh')")
      nvim.wait("both places", function()
        local text = nvim.text()
        return text:find("network mesh {", 1, true) and text:find("network = mesh\n", 1, true)
      end)
    end,
  },
  {
    "a blueprint is laid out",
    function(nvim)
      nvim.go("region   =", "region")
      nvim.keys("wi   <Esc>")
      nvim.wait("the blanks", function()
        return nvim.text():find("region      =", 1, true)
      end)
      nvim.lua("if vim.lsp.buf.format then vim.lsp.buf.format() else vim.lsp.buf.formatting_sync() end")
      nvim.wait("the layout", function()
        return nvim.text():find('  region   = "us-east4"', 1, true)
      end)
    end,
  },
  {
    "what a word is",
    function(nvim)
      nvim.go("capacity = queued", "capacity")
      nvim.lua("vim.lsp.buf.hover()")
      sees(nvim, "its documentation", "How the nodes are obtained.")
    end,
  },
  {
    "a field leads into the standard library",
    function(nvim)
      nvim.go("hierarchical = true")
      nvim.lua("vim.lsp.buf.definition()")
      nvim.wait("the library's file", function()
        return name(nvim):match("slipform.*storage%.bp$")
      end)
      nvim.wait("its line", function()
        return nvim.lua("return vim.api.nvim_get_current_line()"):find("hierarchical: bool = false", 1, true)
      end)
    end,
  },
  {
    "a file of the library is asked, too",
    since = "0.10",
    function(nvim)
      nvim.lua("vim.cmd('edit slipform://std/kinds/storage.bp')")
      nvim.go("location: Region", "Region")
      nvim.lua("vim.lsp.buf.hover()")
      sees(nvim, "what a type is", "A region")
    end,
  },
  {
    "all uses of a name",
    function(nvim)
      nvim.go("identity training", "training")
      nvim.lua("vim.lsp.buf.references()")
      nvim.wait("the list", function()
        return nvim.lua("return #vim.fn.getqflist()") >= 2
      end)
    end,
  },
  {
    "comments and indentation",
    since = "0.10",
    function(nvim)
      nvim.go("restarts = 3")
      nvim.keys("gcc")
      nvim.wait("the comment", function()
        return nvim.text():find("  # restarts = 3", 1, true)
      end)
      nvim.keys("Gobucket other {<CR>force_destroy = true<CR>}<Esc>")
      nvim.wait("the block", function()
        return nvim.text():find("\nbucket other {\n  force_destroy = true\n}", 1, true)
      end)
    end,
  },
  {
    "colours and folds of the parser",
    since = "0.10",
    function(nvim)
      nvim.lua("vim.cmd('SlipformParser')")
      nvim.go("network fabric", "fabric")
      nvim.wait("a colour", function()
        return nvim.lua("return #vim.treesitter.get_captures_at_cursor(0) > 0")
      end)
      nvim.lua("vim.wo.foldmethod = 'expr' vim.wo.foldexpr = 'v:lua.vim.treesitter.foldexpr()'")
      nvim.wait("a fold", function()
        return nvim.lua("return vim.fn.foldlevel(vim.fn.line('.') + 1) > 0")
      end)
    end,
  },
  {
    "hints",
    since = "0.10",
    function(nvim)
      nvim.lua("vim.lsp.inlay_hint.enable(true)")
      nvim.wait("what follows", function()
        local hints = nvim.lua([[
          return vim.tbl_map(function(it) return it.inlay_hint.label end, vim.lsp.inlay_hint.get({ bufnr = 0 }))
        ]])
        return vim.tbl_contains(hints, "16 chips, 8 NICs a node")
      end)
    end,
  },
  {
    "what a noun renders to",
    since = "0.10",
    function(nvim)
      nvim.go("bucket checkpoints")
      nvim.wait("the lenses", function()
        nvim.lua("if vim.lsp.codelens.enable then vim.lsp.codelens.enable(true) else vim.lsp.codelens.refresh({ bufnr = 0 }) end")
        return nvim.lua("local get = vim.lsp.codelens.get; return #(vim.fn.has('nvim-0.12') == 1 and get({ bufnr = 0 }) or get(0)) > 0")
      end)
      nvim.lua([[
        local client = vim.lsp.get_clients({ name = "slipform" })[1]
        local uri = vim.uri_from_bufnr(0)
        local call = require("slipform").call
        local said = call(client, "request_sync", "textDocument/codeLens", { textDocument = { uri = uri } }, 5000, 0)
        for _, lens in ipairs(said.result) do
          if lens.command.title:match("^renders to") and lens.command.arguments[2] == "checkpoints" then
            vim.lsp.commands["slipform.showArtifacts"](lens.command, { client_id = client.id })
            return
          end
        end
      ]])
      sees(nvim, "the file", "google_storage_bucket")
    end,
  },
}
