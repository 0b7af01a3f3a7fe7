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
    -- and what lenses ask for is done below as well
    capabilities = {
      workspace = { textDocumentContent = { dynamicRegistration = false } },
      experimental = { commands = { commands = vim.tbl_keys(M.commands) } },
    },
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

--- What is shown beside a blueprint: its address, the path of the file, the buffer, and which lines are of which heads.
M.beside = nil

--- A file as it would be rendered, in a window beside the blueprint. It is kept up with the text, and goes where the cursor goes.
M.commands["slipform.showArtifacts"] = function(command, context)
  local blueprint, noun, paths = unpack(command.arguments)
  vim.ui.select(paths, { prompt = "What " .. noun .. " renders to" }, function(path)
    if not path then
      return
    end
    local source = vim.api.nvim_get_current_win()
    vim.cmd("vertical new")
    vim.bo.bufhidden = "wipe"
    vim.bo.filetype = vim.filetype.match({ filename = path }) or ""
    M.beside = {
      blueprint = blueprint, path = path, client = context.client_id,
      buffer = vim.api.nvim_get_current_buf(), window = vim.api.nvim_get_current_win(),
    }
    vim.api.nvim_set_current_win(source)
    M.refresh()
  end)
end

--- The text of what is shown beside, anew: of a blueprint that is broken for now the last one stays.
function M.refresh()
  local beside = M.beside
  if not beside or not vim.api.nvim_buf_is_valid(beside.buffer) then
    M.beside = nil
    return
  end
  local client = vim.lsp.get_client_by_id(beside.client)
  if not client then
    return
  end
  local params = { textDocument = { uri = beside.blueprint }, path = beside.path }
  M.call(client, "request", "slipform/artifact", params, function(_, answer)
    if M.beside == beside and type(answer) == "table" and vim.api.nvim_buf_is_valid(beside.buffer) then
      beside.parts = answer.parts
      M.show(beside.buffer, answer.text)
      M.follow()
    end
  end)
end

--- What is shown beside goes to what it has of the head at the cursor, or of the last one above it.
function M.follow()
  local beside = M.beside
  if not beside or not beside.parts or not vim.api.nvim_win_is_valid(beside.window) then
    return
  end
  if vim.uri_from_bufnr(0) ~= beside.blueprint then
    return
  end
  local cursor = vim.api.nvim_win_get_cursor(0)[1] - 1
  local found
  for _, part in ipairs(beside.parts) do
    local head = part.range.start.line
    if part.uri == beside.blueprint and head <= cursor and (not found or head > found.range.start.line) then
      found = part
    end
  end
  if found then
    pcall(vim.api.nvim_win_set_cursor, beside.window, { found.line + 1, 0 })
    vim.api.nvim_win_call(beside.window, function()
      vim.cmd("normal! zt")
    end)
  end
end

--- The client of a buffer, or a word that there is none.
local function client_of(buffer)
  local client = vim.lsp.get_clients({ name = "slipform", bufnr = buffer })[1]
  if not client then
    vim.notify("slipform: no server is running for this buffer", vim.log.levels.WARN)
  end
  return client
end

--- The edits that the server answers with for a part of the buffer.
local function edit(method, params)
  local client = client_of(0)
  local answer = client and M.call(client, "request_sync", method, params, 5000, 0)
  if answer and answer.result then
    vim.lsp.util.apply_text_edits(answer.result, vim.api.nvim_get_current_buf(), client.offset_encoding)
  end
end

--- The lines of a range as one, or the one of the cursor and the next.
function M.join(first, last)
  local range = { start = { line = first - 1, character = 0 }, ["end"] = { line = last - 1, character = 0 } }
  edit("experimental/joinLines", { textDocument = vim.lsp.util.make_text_document_params(), ranges = { range } })
end

--- What the cursor is in and its neighbour in each other's place.
function M.move(direction)
  local client = client_of(0)
  if client then
    local params = vim.lsp.util.make_range_params(0, client.offset_encoding)
    params.direction = direction
    edit("experimental/moveItem", params)
  end
end

--- What the compiler does with the project, or with the tests of the buffer: one of it is chosen, and runs in a terminal.
function M.run()
  local client = client_of(0)
  local params = { textDocument = vim.lsp.util.make_text_document_params() }
  local answer = client and M.call(client, "request_sync", "experimental/runnables", params, 5000, 0)
  local label = function(it)
    return it.label
  end
  vim.ui.select(answer and answer.result or {}, { prompt = "What is run", format_item = label }, function(it)
    if not it then
      return
    end
    local command = vim.list_extend({ M.program() }, it.args.args)
    vim.cmd("botright new")
    vim.fn.termopen(command, { cwd = it.args.cwd })
  end)
end

--- The program that was configured.
function M.program()
  local config = vim.lsp.config and vim.lsp.config.slipform
  return (config and type(config.cmd) == "table" and config.cmd[1]) or "slipform"
end

--- The page that says more of what the cursor is on.
function M.documentation()
  local client = client_of(0)
  local params = client and vim.lsp.util.make_position_params(0, client.offset_encoding)
  local answer = client and M.call(client, "request_sync", "experimental/externalDocs", params, 5000, 0)
  local page = answer and answer.result
  if type(page) ~= "string" then
    vim.notify("slipform: no page says more of this", vim.log.levels.INFO)
  elseif page:match("^slipform:") then
    vim.cmd("new " .. vim.fn.fnameescape(page))
  else
    vim.ui.open(page)
  end
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
