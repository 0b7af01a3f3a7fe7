//! Tells Zed how the language server is started.

use zed_extension_api as zed;

struct Slipform;

impl zed::Extension for Slipform {
    fn new() -> Self {
        Self
    }

    fn language_server_command(
        &mut self,
        _server: &zed::LanguageServerId,
        worktree: &zed::Worktree,
    ) -> zed::Result<zed::Command> {
        let command = worktree.which("slipform").ok_or("`slipform` is not on the PATH")?;
        Ok(zed::Command { command, args: vec!["lsp".to_owned()], env: worktree.shell_env() })
    }

    fn language_server_initialization_options(
        &mut self,
        server: &zed::LanguageServerId,
        worktree: &zed::Worktree,
    ) -> zed::Result<Option<zed::serde_json::Value>> {
        let settings = zed::settings::LspSettings::for_worktree(server.as_ref(), worktree)?;
        Ok(settings.initialization_options)
    }
}

zed::register_extension!(Slipform);
