# The formula of a tap, as packaging/formula.py fills it in for a release.
class Slipform < Formula
  desc "Compiler for AI-training infrastructure on GKE, Slurm and Vertex AI"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "@REPOSITORY@/releases/download/v@VERSION@/slipform-@VERSION@-aarch64-apple-darwin.tar.gz"
      sha256 "@aarch64-apple-darwin@"
    end
    on_intel do
      url "@REPOSITORY@/releases/download/v@VERSION@/slipform-@VERSION@-x86_64-apple-darwin.tar.gz"
      sha256 "@x86_64-apple-darwin@"
    end
  end

  on_linux do
    on_arm do
      url "@REPOSITORY@/releases/download/v@VERSION@/slipform-@VERSION@-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@aarch64-unknown-linux-musl@"
    end
    on_intel do
      url "@REPOSITORY@/releases/download/v@VERSION@/slipform-@VERSION@-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@x86_64-unknown-linux-musl@"
    end
  end

  def install
    bin.install "slipform"
    man1.install "slipform.1"
    generate_completions_from_executable(bin/"slipform", "completions")
  end

  test do
    system bin/"slipform", "init", "first"
    system bin/"slipform", "check", "first"
  end
end
