/**
 * Where a rule by names alone would be wrong, program by program. A phrase is the words of a command, an option, or a command
 * with an option; what is said of a command holds for those below it that nothing is said of.
 */
const said: Record<string, Partial<Record<0 | 1 | 2 | 3, string>>> = {
  git: {
    0: 'check-ignore, merge-base, name-rev, for-each-ref, show-ref, count-objects, bisect log, --exec-path',
    1: `rm, reset, notes, notes prune, remote remove, remote rm, remote prune, worktree prune, prune, shell, format-patch, fetch --prune,
      fetch --prune-tags, fetch --force, pull --prune, remote update --prune, gc --prune, commit --reset-author, add --force,
      mv --force, submodule update --force, clone --mirror, bisect reset, reflog, stash show, rm --force`,
    2: `push --force-with-lease, push --force-if-includes, push --delete, push --prune, push --mirror, reset --hard, reset --merge,
      reset --keep, clean, restore, branch -D, branch -M, branch -C, stash drop, stash clear, update-ref, worktree remove, reflog expire,
      reflog delete, submodule deinit, submodule foreach, bisect run, filter-branch, replace, gc --aggressive, -c, --config-env,
      --exec, --upload-pack, --receive-pack, difftool --extcmd, grep --open-files-in-pager, clone --config, clone --template,
      archive --remote, send-email, daemon, rebase --exec, credential, config alias, switch --discard-changes`,
  },
  docker: {
    0: 'image ls, container ls, --format, context show',
    1: 'build --force-rm, image build --force-rm, compose up --force-recreate, compose build --force-rm, logs --details',
    2: `stop, restart, cp, container cp, compose cp, compose restart, container stop, container restart, compose down, compose stop, compose exec, compose run, swarm leave, plugin install, run --volume,
      run --mount, run --cap-add, run --device, run --pid, run --userns, run --security-opt, run --network, run --net, run --ipc,
      run --volumes-from, run --cgroup-parent, run --runtime, create --volume, create --mount, create --cap-add, create --device,
      create --pid, create --userns, create --security-opt, create --network, create --net, create --ipc,
      create --volumes-from, container run --volume, container run --mount, container run --cap-add, container run --device,
      container create --volume, container create --mount, compose up --remove-orphans`,
    3: 'system prune, volume prune, volume rm, compose down --volumes',
  },
  kubectl: {
    0: 'get, --output, auth can-i, auth whoami, config view, config get-contexts, config current-context, wait',
    2: `replace, scale, cordon, attach, debug, cp, patch, edit, proxy, port-forward, apply --prune, rollout undo, rollout restart, auth reconcile,
      run --rm, --as, --token`,
    3: 'delete --all, delete --all-namespaces, delete namespace',
  },
  npm: {
    0: 'fund, prefix, root, bin, pkg get, config get, config list',
    1: 'rm, remove, uninstall, prune, cache, cache clean, install --force, update --force',
    2: 'publish, unpublish, deprecate, owner, token, access, exec, x, init, create, audit fix',
  },
  tar: {
    1: '--overwrite',
    2: `--to-command, --checkpoint-action, --use-compress-program, -I, --info-script, --new-volume-script, -F, --rsh-command, --rmt-command,
      --absolute-names, -P, --remove-files, --recursive-unlink, --unlink-first, -U, --delete`,
  },
  ffmpeg: { 0: '-f, -n', 1: '-y' },
  find: { 2: '-exec, -execdir, -ok, -okdir, -delete, -fprint, -fprint0, -fprintf, -fls' },
  terraform: {
    0: 'plan, output, validate, graph, providers, state list, state show, workspace list',
    1: 'fmt',
    2: 'apply, import, state rm, state mv, state push, workspace delete',
    3: 'destroy, apply -destroy',
  },
  systemctl: {
    0: 'get-default, cat, list-jobs',
    2: `stop, restart, try-restart, reload-or-restart, disable, mask, isolate, suspend, hibernate, hybrid-sleep, default, edit, set-default,
      daemon-reexec, exit, switch-root, soft-reboot, set-property, bind, mount-image`,
  },
  apt: { 2: 'install, reinstall, upgrade, full-upgrade, edit-sources, satisfy' },
  'apt-get': { 2: 'install, reinstall, upgrade, dist-upgrade, dselect-upgrade, build-dep' },
  dnf: { 2: 'install, upgrade, update, downgrade, distro-sync' },
  brew: { 2: 'uninstall, cleanup, autoremove' },
  cargo: {
    0: 'tree',
    1: 'remove, rm, uninstall, clean, fmt, install --force, package',
    2: 'publish, yank, owner, login, logout',
  },
  pip: { 0: 'freeze, check', 1: 'uninstall, cache purge, cache remove, install --force-reinstall' },
  go: { 0: 'env, doc, vet', 1: 'clean, fmt, get', 2: 'run, generate' },
  yarn: { 1: 'remove', 2: 'publish, dlx' },
  pnpm: { 1: 'remove, rm, prune, uninstall', 2: 'publish, dlx, exec' },
  bun: { 1: 'remove, rm', 2: 'publish, x' },
  uv: { 1: 'remove, cache prune', 2: 'publish' },
  poetry: { 1: 'remove', 2: 'publish' },
  gh: { 2: 'api, pr merge, repo edit, secret, auth token', 3: 'repo delete' },
  helm: { 0: 'get', 2: 'uninstall, upgrade' },
  aws: { 2: 's3 rb, s3 sync --delete', 3: 's3 rb --force' },
  ansible: { 2: '' },
  'ansible-playbook': { 2: '' },
  vagrant: { 3: 'destroy' },
  kubeadm: { 3: 'reset' },
  zfs: { 3: 'destroy' },
  eksctl: { 3: 'delete' },
  sed: { 2: '-i, --in-place' },
  sort: { 2: '--compress-program' },
  rg: { 2: '--pre, --hostname-bin' },
  fd: { 2: '-x, -X' },
  fdfind: { 2: '-x, -X' },
  man: { 2: '--pager, -P, --html, -H' },
  tcpdump: { 1: '-w', 2: '-z' },
  date: { 2: '--set, -s' },
  dmesg: { 2: '-C, -c, --read-clear, --console-off' },
  journalctl: { 0: '--output', 2: '--vacuum-size, --vacuum-time, --vacuum-files, --rotate, --setup-keys' },
  chmod: { 2: '--recursive, -R' },
  chown: { 2: '--recursive, -R' },
  chgrp: { 2: '--recursive, -R' },
  setfacl: { 2: '--recursive, -R, --remove-all' },
  rsync: { 2: '--rsh, -e, --rsync-path, --inplace' },
  scp: { 2: '-S, -o, -F' },
  split: { 2: '--filter' },
  'ssh-keygen': { 2: '-D, -w' },
  curl: { 1: '--output, --upload-file', 2: '--config, --unix-socket' },
  wget: { 2: '--execute, -e, --use-askpass, --post-file' },
  zip: { 2: '--move, --unzip-command' },
  unzip: { 2: '-o' },
  make: { 1: '--output-sync' },
  tmux: { 2: 'kill-server, kill-session, run-shell, send-keys, new-session, new-window' },
  ip: { 2: 'netns exec, link delete' },
  df: { 0: '--output' },
  ps: { 0: '--format' },
  passwd: { 0: '--status' },
}

/** The level of a phrase of this program; undefined where nothing is said of it. */
export function phraseLevel(program: string, phrase: string): number | undefined {
  return table().get(`${program} ${phrase}`)
}

let known: Map<string, number> | undefined

function table(): Map<string, number> {
  if (known) return known
  known = new Map()
  for (const [program, levels] of Object.entries(said))
    for (const [level, phrases] of Object.entries(levels))
      for (const phrase of phrases.split(','))
        known.set(`${program} ${phrase.trim().replaceAll(/\s+/g, ' ')}`, Number(level))
  return known
}
