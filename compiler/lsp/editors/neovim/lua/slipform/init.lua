local M = {}

--- What Neovim is told of the server. `init_options` may name an environment and values of parameters:
--- `{ environment = "prod", set = { nodes = "16" } }`.
function M.server()
  return {
    name = "slipform",
    cmd = { "slipform", "lsp" },
    filetypes = { "slipform" },
    root_markers = { "slipform.toml", ".git" },
    -- what the server alone has is opened below, so that reports lead to what their codes mean
    capabilities = { workspace = { textDocumentContent = { dynamicRegistration = false } } },
    init_options = vim.g.slipform_options,
  }
end

--- For Neovim 0.10, which has no servers by name, and for files of other types.
function M.start(buffer)
  local server = M.server()
  if vim.bo[buffer].buftype ~= "" or vim.fn.executable(server.cmd[1]) == 0 then
    return
  end
  server.capabilities = vim.tbl_deep_extend("force", vim.lsp.protocol.make_client_capabilities(), server.capabilities)
  server.root_dir = vim.fs.root(buffer, server.root_markers)
  vim.lsp.start(server, { bufnr = buffer })
end

--- Fills a buffer with a file of the standard library, or with what a code means. Its name may have a folder in front, since to Neovim an address with one
--- slash is a path.
function M.library(buffer, name)
  local uri = name:match("slipform:/.*$")
  local client = vim.lsp.get_clients({ name = "slipform" })[1]
  if not client then
    vim.notify("slipform: no server is running that has " .. uri, vim.log.levels.WARN)
    return
  end
  M.show(buffer, M.text(client, "slipform/source", { uri = uri }))
  if uri:match("%.bp$") then
    vim.bo[buffer].filetype = "slipform"
    vim.lsp.buf_attach_client(buffer, client.id)
  end
end

--- What the problem of the line means, in a window below; of several the first that has a page.
function M.explain()
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  for _, problem in ipairs(vim.diagnostic.get(0, { lnum = line })) do
    local page = vim.tbl_get(problem, "user_data", "lsp", "codeDescription", "href")
    if page then
      vim.cmd("new " .. vim.fn.fnameescape(page))
      return
    end
  end
  vim.notify("slipform: no problem is reported in this line that has a page", vim.log.levels.INFO)
end

--- 0.11 made methods of what were functions.
function M.call(client, name, ...)
  if vim.fn.has("nvim-0.11") == 1 then
    return client[name](client, ...)
  end
  return client[name](...)
end

--- The text that the server gives for a request, in time for a buffer that is being opened.
function M.text(client, method, params)
  local answer = M.call(client, "request_sync", method, params, 5000, 0)
  return answer and answer.result and answer.result.text or ""
end

--- A text that is read and never written.
function M.show(buffer, text)
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split((text:gsub("\n$", "")), "\n"))
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].modified = false
  vim.bo[buffer].buftype = "nofile"
  vim.bo[buffer].swapfile = false
end

--- What lenses ask for, by the names of their commands.
M.commands = {}

--- A file as it would be rendered, in a window beside the blueprint.
M.commands["slipform.showArtifacts"] = function(command, context)
  local blueprint, noun, paths = unpack(command.arguments)
  local client = vim.lsp.get_client_by_id(context.client_id)
  vim.ui.select(paths, { prompt = "What " .. noun .. " renders to" }, function(path)
    if not path then
      return
    end
    local text = M.text(client, "slipform/artifact", { textDocument = { uri = blueprint }, path = path })
    vim.cmd("vertical new")
    vim.bo.bufhidden = "wipe"
    M.show(0, text)
    vim.bo.filetype = vim.filetype.match({ filename = path }) or ""
  end)
end

M.commands["slipform.showReferences"] = function(command, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  local items = vim.lsp.util.locations_to_items(command.arguments[3], client.offset_encoding)
  vim.fn.setqflist({}, " ", { title = command.title, items = items })
  vim.cmd("botright copen")
end

M.commands["slipform.chooseEnvironment"] = function(command, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  vim.ui.select(command.arguments[1], { prompt = "The environment that blueprints are checked for" }, function(environment)
    if not environment then
      return
    end
    local options = vim.tbl_extend("force", vim.g.slipform_options or {}, { environment = environment })
    M.call(client, "notify", "workspace/didChangeConfiguration", { settings = { slipform = options } })
  end)
end

--- The repository's parser, compiled to where Neovim looks for parsers.
function M.compile()
  local here = vim.fn.resolve(debug.getinfo(1, "S").source:sub(2))
  local sources = vim.fn.fnamemodify(here, ":h:h:h:h") .. "/tree-sitter-slipform/src"
  local folder = vim.fn.stdpath("data") .. "/site/parser"
  local parser = folder .. "/slipform.so"
  vim.fn.mkdir(folder, "p")
  local compiler = vim.env.CC or "cc"
  local command = { compiler, "-std=c11", "-O2", "-shared", "-fPIC", "-I" .. sources }
  vim.list_extend(command, { sources .. "/parser.c", sources .. "/scanner.c", "-o", parser })
  local run = vim.system(command, { text = true }):wait()
  if run.code ~= 0 then
    vim.notify("slipform: " .. run.stderr, vim.log.levels.ERROR)
    return
  end
  vim.treesitter.language.add("slipform", { path = parser })
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.bo[buffer].filetype == "slipform" then
      vim.treesitter.start(buffer, "slipform")
    end
  end
end

--- Two spaces more behind an opening bracket, two less in front of a closing one; the text of a string stays where it is.
function M.indent(number)
  local above = vim.fn.prevnonblank(number - 1)
  if above == 0 then
    return 0
  end
  local _, quotes = table.concat(vim.api.nvim_buf_get_lines(0, 0, number - 1, false), "\n"):gsub('"""', "")
  if quotes % 2 == 1 then
    return -1
  end
  local width = vim.fn.shiftwidth()
  local indent = vim.fn.indent(above)
  local line = vim.fn.getline(above):gsub('"[^"]*"', ""):gsub("#.*$", "")
  if line:match("[%[({]%s*$") then
    indent = indent + width
  end
  if vim.fn.getline(number):match("^%s*[%])}]") then
    indent = indent - width
  end
  return math.max(indent, 0)
end

return M
