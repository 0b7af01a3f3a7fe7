-- Types into a second Neovim, as its user would, and looks at what it shows. What each case is about is in cases.lua.

local env = vim.env
local child = {}
local PATIENCE = 10000

--- What the editor is set up with: the plugin from 0.10 on, and before that the lines of the guide.
local function init()
  local path = env.WORK .. "/init.lua"
  local lines
  if vim.fn.has("nvim-0.10") == 1 then
    lines = { ('vim.opt.runtimepath:append("%s/compiler/lsp/editors/neovim")'):format(env.ROOT) }
  else
    local guide = table.concat(vim.fn.readfile(env.ROOT .. "/docs/how-to/set-up-an-editor.md"), "\n")
    for block in guide:gmatch("```lua\n(.-)\n```") do
      if block:find("start_client", 1, true) then
        lines = vim.split(block, "\n")
      end
    end
  end
  -- a program of one's own goes over what the plugin says
  if vim.fn.has("nvim-0.11") == 1 then
    lines[#lines + 1] = ('vim.lsp.config("slipform", { cmd = { "%s/bin/slipform", "lsp" } })'):format(env.WORK)
  end
  lines[#lines + 1] = "vim.o.more = false"
  -- the first of what is asked is taken
  lines[#lines + 1] = "vim.ui.select = function(items, _, on) on(items[1]) end"
  vim.fn.writefile(lines, path)
  return path
end

function child.start()
  local command = { env.NVIM, "--embed", "--headless", "-i", "NONE", "-n", "-u", init(), env.WORK .. "/project/train.bp" }
  local path = vim.fn.has("nvim-0.11") == 1 and env.PATH or env.WORK .. "/bin:" .. env.PATH
  child.channel = vim.fn.jobstart(command, { rpc = true, cwd = env.WORK .. "/project", env = { PATH = path } })
end

--- What some Lua gives in the editor.
function child.lua(code, ...)
  local mode = vim.fn.rpcrequest(child.channel, "nvim_get_mode")
  if mode.blocking then
    error("it waits for a key in mode " .. mode.mode, 0)
  end
  return vim.fn.rpcrequest(child.channel, "nvim_exec_lua", code, { ... })
end

--- Keys, as the user presses them.
function child.keys(keys)
  vim.fn.rpcrequest(child.channel, "nvim_input", keys)
end

function child.text()
  return table.concat(child.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)"), "\n")
end

--- Puts the cursor at the start of a word of a line.
function child.go(line, word)
  child.lua("vim.fn.cursor(1, 1) vim.fn.search(..., 'cW')", "\\V" .. line)
  child.lua("vim.fn.search(..., 'cW', vim.fn.line('.'))", "\\V" .. (word or line))
end

--- Waits for something; what it gives is given back.
function child.wait(what, condition)
  local found
  local there = vim.wait(PATIENCE, function()
    found = condition()
    return found and true or false
  end, 30)
  if not there then
    local line = child.lua("return vim.fn.line('.') .. ': ' .. vim.api.nvim_get_current_line()")
    local said = child.lua("return vim.fn.execute('messages')")
    error(("%s did not come; the cursor is in %s; said was %s"):format(what, line, said), 0)
  end
  return found
end

--- The blueprint as it lies on the disk, and nothing beside it.
function child.anew()
  child.keys("<Esc><Esc>")
  child.lua("vim.cmd('silent! only! | edit! ' .. ... .. ' | edit!')", env.WORK .. "/project/train.bp")
end

local function main()
  local version = vim.split(vim.fn.execute("version"), "\n", { trimempty = true })[1]
  local cases = dofile(env.ROOT .. "/tests/consumers/neovim/cases.lua")
  local failed, tried, lacking = 0, 0, {}
  child.start()
  for _, case in ipairs(cases) do
    if case.since and vim.fn.has("nvim-" .. case.since) == 0 then
      lacking[#lacking + 1] = ("%s (%s)"):format(case[1], case.since)
    else
      tried = tried + 1
      local ok, why = pcall(function()
        child.anew()
        case[2](child)
      end)
      if not ok then
        failed = failed + 1
        io.write("WRONG  ", case[1], ": ", tostring(why), "\n")
      end
    end
  end
  vim.fn.jobstop(child.channel)
  io.write(("neovim: %d cases in %s\n"):format(tried, version))
  if #lacking > 0 then
    io.write("what this one lacks, and the version that has it: ", table.concat(lacking, ", "), "\n")
  end
  vim.cmd(failed > 0 and "cquit" or "quitall!")
end

local ok, why = pcall(main)
if not ok then
  io.write("WRONG  ", tostring(why), "\n")
  vim.cmd("cquit")
end
