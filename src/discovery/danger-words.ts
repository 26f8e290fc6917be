type Levels = Readonly<Record<string, number>>

/** How much harm a program can do that is only named. Whoever is not here changes something, as far as we know: 1. */
export const programs: Levels = {
  ...of(
    0,
    `[ apropos arch b2sum base32 base64 basename bat batcat bc bzcat bzgrep bzless cal cat cksum cloc cmp col column comm
    cut date df diff diff3 dig dir dirname dmesg dpkg-query du echo egrep exa expand expr eza factor false fd fdfind
    fgrep ffprobe file find findmnt fmt fold free getconf getent grep groups head hexdump hexyl host htop iconv id identify
    infocmp iostat ipcs join journalctl jq last ldd less locale locate logname look ls lsattr lsblk lscpu lsd lsmem lsmod
    lsns lsof lspci lsusb lzcat man md5sum mediainfo more mpstat namei ncal netstat nl nm nproc nslookup numfmt objdump
    od paste pathchk pgrep pidof ping ping6 plocate pmap pr printenv printf procs ps pstree pwd pwdx readelf readlink
    realpath rev rg seq sha1sum sha224sum sha256sum sha384sum sha512sum shellcheck size sleep sort ss stat strings sum tac
    tail tcpdump test tldr tokei top tr tracepath traceroute tree true tsort tty uname unexpand uniq uptime users vdir
    vmstat w wc whatis whereis which who whoami whois xxd xzcat xzgrep yes zcat zgrep zless`,
  ),
  // They run what they are told, or as somebody else; they stop what others need; they set up the machine.
  ...of(
    2,
    `sh bash dash ash zsh fish ksh mksh csh tcsh nu pwsh powershell xonsh elvish busybox python python2 python3 pypy3 ipython
    bpython node nodejs deno perl ruby irb php lua luajit tclsh expect osascript env xargs parallel watch nohup setsid
    timeout nice ionice stdbuf flock script strace ltrace gdb lldb time prlimit chrt taskset choom uclampset numactl setarch
    linux32 linux64 i386 x86_64 ld.so rbash unbuffer fakeroot faketime xvfb-run dbus-run-session systemd-inhibit ssh-agent
    start-stop-daemon run-parts valgrind perf entr hyperfine awk gawk mawk nawk original-awk sed ed ex vi vim vim.basic
    vim.tiny view vimdiff rvim nvim emacs npx bunx pnpx uvx pipx at batch crontab psql mysql
    mariadb sqlite3 redis-cli mongosh eval exec
    sudo sudoedit su doas pkexec runuser newgrp sg chroot nsenter unshare bwrap capsh setpriv systemd-run ssh rsh rclone
    shutdown reboot poweroff halt init telinit kexec kill pkill killall killall5 skill xkill fuser unlink truncate
    userdel deluser groupdel delgroup usermod groupmod useradd adduser groupadd addgroup passwd chpasswd chage visudo vipw
    iptables ip6tables nft ufw firewall-cmd mount umount swapon swapoff losetup modprobe insmod rmmod sysctl setcap chattr
    dpkg rpm pacman apk snap grub-install update-grub efibootmgr e2fsck xfs_repair hwclock ifconfig route
    update-alternatives dropuser lvm lvcreate lvresize lvreduce vgcreate pvcreate bfg git-filter-repo`,
  ),
  ...of(
    3,
    `rm dd shred srm wipe wipefs fdisk sfdisk cfdisk gdisk sgdisk cgdisk parted blkdiscard mkswap mke2fs mkdosfs mkntfs
    cryptsetup lvremove vgremove pvremove mdadm badblocks flashrom nvme hdparm debugfs tune2fs resize2fs dropdb zpool`,
  ),
}

/** What a word of a command does, in whatever program. */
export const verbs: Levels = {
  ...of(
    0,
    `list ls show status describe info inspect version versions help log logs search view explain history whoami diff cat ps top
    stats outdated query tree blame shortlog reflog grep whatchanged ls-files ls-tree ls-remote rev-parse rev-list
    cat-file is-active is-enabled is-failed api-resources api-versions cluster-info events port completion completions
    man usage ping about metadata policy depends rdepends showpkg locate-project pkgid which why doctor df images`,
  ),
  ...of(
    2,
    `delete del remove rm rmi rmtree prune purge drop kill erase clear flush truncate terminate rollback evict drain exec
    ssh shell sudo revoke unpublish poweroff reboot halt shutdown kexec emergency rescue filter-branch filter-repo autoremove
    force-unlock taint deprovision discard`,
  ),
  ...of(3, 'destroy wipe format nuke obliterate factory-reset flushall flushdb mkfs'),
}

/** What an option does by its name, in whatever program; each part of a longer name counts (`--delete-branch`). */
export const switches: Levels = {
  ...of(1, 'output output-file outfile in-place inplace write save fix install upload'),
  ...of(
    2,
    `force hard delete remove purge prune mirror overwrite clobber privileged discard drop truncate erase clear reset kill
    exec execute eval auto-approve force-yes break-system-packages no-sandbox unlink`,
  ),
  ...of(3, 'no-preserve-root wipe destroy'),
}

function of(level: number, words: string): Record<string, number> {
  return Object.fromEntries(
    words
      .trim()
      .split(/\s+/)
      .map((word) => [word, level]),
  )
}
