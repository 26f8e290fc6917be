/**
 * The subcommands of the labelled tools, by their own help or manual; nothing here was taken from what we make of them. `a|b` are
 * two names for one. Whoever is not here has none.
 *
 * Compared with the program itself: git docker npm kubectl systemctl cargo rustup go (1.19) pip apt apt-get gh (2.23) terraform openssl
 * gem bundle composer yarn (1) deno aws packer (1.6) podman ip tmux; what a later version brought is from its notes. By documentation
 * alone: helm gradle pnpm bun uv poetry ruff gcloud az vagrant brew k9s.
 */
export interface LabelledSubcommands {
  /** Those that its first page names. */
  names: string
  /** Others that it takes, too. */
  also?: string
  /** There are hundreds; these are some. */
  isPart?: true
}

export const labelledSubcommands: Readonly<Record<string, LabelledSubcommands>> = {
  git: {
    names:
      'clone init add mv restore rm bisect diff grep log show status branch commit merge rebase reset switch tag fetch pull push',
    also: 'am archive bundle checkout cherry-pick clean config describe gc maintenance mergetool notes reflog remote revert shortlog sparse-checkout stash submodule worktree blame apply daemon ls-remote stage backfill',
  },
  docker: {
    names:
      'run exec ps build pull push images login logout search version info builder container context image manifest network plugin system volume swarm attach commit cp create diff events export history import inspect kill load logs pause port rename restart rm rmi save start stats stop tag top unpause update wait',
    also: 'bake buildx checkpoint compose config node sbom scout secret service stack trust model',
  },
  npm: {
    names:
      'access adduser audit bugs cache ci|clean-install completion config dedupe deprecate diff dist-tag docs doctor edit exec explain explore find-dupes fund get help help-search init install install-ci-test|clean-install-test install-test link login logout ls|list org outdated owner pack ping pkg prefix profile prune publish query rebuild repo restart root run sbom search set shrinkwrap star stars start stop team test token uninstall unpublish unstar update version view whoami',
    also: 'approve-scripts deny-scripts install-scripts stage trust undeprecate ll bin hook set-script create cit it ln r un remove unlink clean-install clean-install-test list',
  },
  kubectl: {
    names:
      'create expose run set explain get edit delete rollout scale autoscale certificate cluster-info top cordon uncordon drain taint describe logs attach exec port-forward proxy cp auth debug events diff apply patch replace wait kustomize label annotate completion api-resources api-versions config plugin version',
    also: 'alpha convert options kuberc',
  },
  systemctl: {
    names:
      'list-units list-automounts list-sockets list-timers is-active is-failed status show cat help list-dependencies start stop reload restart try-restart reload-or-restart try-reload-or-restart isolate kill clean freeze thaw set-property bind mount-image service-log-level service-log-target reset-failed list-unit-files enable disable reenable preset preset-all is-enabled mask unmask link revert add-wants add-requires edit get-default set-default list-machines list-jobs cancel show-environment set-environment unset-environment import-environment daemon-reload daemon-reexec log-level log-target service-watchdogs is-system-running default rescue emergency halt poweroff reboot kexec exit switch-root suspend hibernate hybrid-sleep suspend-then-hibernate',
    also: 'list-paths whoami soft-reboot condrestart force-reload sleep condreload condstop',
  },
  cargo: {
    names: 'build check clean doc new init add remove run test bench update search publish install uninstall',
    also: 'config fetch fix generate-lockfile help info locate-project login logout metadata owner package pkgid read-manifest report rustc rustdoc tree vendor verify-project version yank clippy fmt',
  },
  go: {
    names:
      'bug build clean doc env fix fmt generate get install list mod work run telemetry test tool version vet',
    also: 'help',
  },
  pip: {
    names:
      'install download uninstall freeze inspect list show check config search cache index wheel hash completion debug help',
    also: 'lock',
  },
  apt: {
    names:
      'list search show install reinstall remove autoremove update upgrade full-upgrade edit-sources satisfy',
    also: 'purge clean autoclean source build-dep download changelog showsrc depends rdepends policy moo help dist-upgrade autopurge distclean',
  },
  'apt-get': {
    names:
      'update upgrade install reinstall remove purge autoremove dist-upgrade dselect-upgrade build-dep satisfy clean autoclean check source download changelog',
    also: 'distclean indextargets autopurge',
  },
  gh: {
    names:
      'auth browse codespace gist issue org pr project release repo cache run workflow alias api attestation completion config extension|extensions gpg-key label preview ruleset search secret ssh-key status variable',
    also: 'agent-task co licenses help extensions',
  },
  terraform: {
    names:
      'init validate plan apply destroy console fmt force-unlock get graph import login logout metadata output providers refresh show state taint test untaint version workspace',
    also: 'modules stacks query',
  },
  helm: {
    names:
      'completion create dependency|dependencies env get help history install lint list package plugin pull|fetch push registry repo rollback search show|inspect status template test uninstall upgrade verify version',
    also: 's3 unittest dependencies fetch inspect diff secrets',
  },
  openssl: {
    names:
      'asn1parse ca ciphers cmp cms crl crl2pkcs7 dgst dhparam dsa dsaparam ec ecparam enc engine errstr fipsinstall gendsa genpkey genrsa help info kdf list mac nseq ocsp passwd pkcs12 pkcs7 pkcs8 pkey pkeyparam pkeyutl prime rand rehash req rsa rsautl s_client s_server s_time sess_id smime speed spkac srp storeutl ts verify version x509',
    also: 'blake2b512 blake2s256 md4 md5 rmd160 sha1 sha224 sha256 sha3-224 sha3-256 sha3-384 sha3-512 sha384 sha512 sha512-224 sha512-256 shake128 shake256 sm3 mdc2 skeyutl configutl',
    isPart: true,
  },
  rustup: {
    names: 'show update check default toolchain target component override run which doc self set completions',
    also: 'man help install uninstall dump-testament',
  },
  gradle: {
    names:
      'init wrapper help tasks projects properties dependencies dependencyInsight buildEnvironment build check clean test run',
    also: 'assemble javadoc components outgoingVariants',
  },
  gem: {
    names:
      'build cert check cleanup contents dependency environment fetch generate_index help info install list lock mirror open outdated owner pristine push query rdoc search server signin signout sources specification stale uninstall unpack update which yank',
    also: 'exec rebuild',
  },
  bundle: {
    names:
      'install update cache|package exec config help add binstubs check show outdated console open lock viz init gem platform clean doctor',
    also: 'remove list info plugin pristine fund env inject licenses issue package version',
  },
  composer: {
    names:
      'about archive audit browse bump check-platform-reqs clear-cache completion config create-project depends diagnose dump-autoload exec fund global help init install licenses list outdated prohibits reinstall remove require run-script search self-update show status suggests update validate',
  },
  yarn: {
    names:
      'add audit autoclean bin cache config create exec generate-lock-entry global help import info init install licenses link list login logout node outdated owner pack policies publish remove run tag team unlink unplug upgrade upgrade-interactive version versions why workspace workspaces',
    also: 'set check test',
  },
  pnpm: {
    names:
      'add install install-test update remove link unlink import rebuild prune fetch patch patch-commit audit list outdated why run exec test start publish store init',
    also: 'patch-remove recursive server doctor dlx create env setup config pack deploy dedupe root bin licenses',
  },
  deno: {
    names:
      'bench cache check compile completions coverage doc eval fmt init info install uninstall lsp lint repl run task test types upgrade',
    also: 'bundle vendor help add remove serve publish jupyter outdated clean jsr deploy',
  },
  bun: {
    names: 'run test x repl install add remove update link unlink pm build init create upgrade',
    also: 'completions discord help exec outdated patch publish audit info why',
  },
  uv: {
    names:
      'run init add remove sync lock export tree tool python pip venv build publish cache self version help',
    also: 'format auth generate-shell-completion',
  },
  poetry: {
    names:
      'about add build cache check config debug env init install lock new publish remove run search self show source update version',
    also: 'shell export help list sync',
  },
  ruff: { names: 'check rule config linter clean format server analyze version help', also: 'lsp' },
  aws: {
    names:
      's3 s3api ec2 iam lambda sts dynamodb cloudformation ecs eks rds sns sqs logs configure ssm kms route53',
    isPart: true,
  },
  gcloud: {
    names:
      'app auth builds components compute config container dns functions iam info init kms logging projects pubsub run secrets services sql version',
    isPart: true,
  },
  az: {
    names:
      'account acr ad aks appservice backup batch cdn container cosmosdb deployment disk extension feature functionapp group identity keyvault login logout monitor network policy resource role sql storage vm webapp version',
    isPart: true,
  },
  vagrant: {
    names:
      'autocomplete box cloud destroy global-status halt help init login package plugin port powershell provision push rdp reload resume serve snapshot ssh ssh-config status suspend up upload validate version winrm winrm-config',
  },
  packer: { names: 'build console fix fmt hcl2_upgrade init inspect plugins validate version' },
  podman: {
    names:
      'attach build commit container cp create diff events exec export generate healthcheck help history image images import info init inspect kill kube load login logout logs machine manifest network pause pod port ps pull push rename restart rm rmi run save search secret start stats stop system tag top unpause untag update version volume wait',
    also: 'auto-update compose container-checkpoint farm mount play unmount unshare artifact quadlet',
  },
  ip: {
    names:
      'address addrlabel fou ila ioam l2tp link macsec maddress monitor mptcp mroute mrule neighbor neighbour netconf netns nexthop ntable ntbl route rule sr tap tcpmetrics token tunnel tuntap vrf xfrm',
    also: 'addr',
  },
  brew: {
    names: 'search info|abv install update upgrade uninstall list config doctor',
    also: 'ls leaves abv outdated pin unpin postinstall reinstall cask cleanup services analytics autoremove tap untap link unlink formulae casks edit home alias developer create commands help',
  },
  tmux: {
    names:
      'attach-session bind-key break-pane capture-pane choose-buffer choose-client choose-tree clear-history clock-mode command-prompt confirm-before copy-mode delete-buffer detach-client display-menu display-message display-panes find-window has-session if-shell join-pane kill-pane kill-server kill-session kill-window last-pane last-window link-window list-buffers list-clients list-commands list-keys list-panes list-sessions list-windows load-buffer lock-client lock-server lock-session move-window new-session new-window next-layout next-window paste-buffer pipe-pane previous-layout previous-window refresh-client rename-session rename-window resize-pane resize-window respawn-pane respawn-window rotate-window run-shell save-buffer select-layout select-pane select-window send-keys send-prefix set-buffer set-environment set-hook set-option set-window-option show-buffer show-environment show-hooks show-messages show-options show-window-options source-file split-window start-server suspend-client swap-pane swap-window switch-client unbind-key unlink-window wait-for',
    also: 'clear-prompt-history customize-mode display-popup move-pane server-access show-prompt-history server-info info',
  },
  k9s: { names: 'help info version', also: 'completion' },
}
