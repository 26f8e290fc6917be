import type { AgentPreset } from '#contract/agent.ts'

/** A coding agent, and by what its packages are called: a program of its name from another package is another program. */
export interface KnownAgent {
  preset?: AgentPreset
  packages: RegExp
}

export const knownAgents: Readonly<Record<string, KnownAgent>> = {
  claude: { preset: 'claude', packages: /claude/ },
  codex: { preset: 'codex', packages: /^(@openai\/)?codex(-cli)?$/ },
  gemini: { preset: 'gemini', packages: /gemini-cli/ },
  opencode: { preset: 'opencode', packages: /opencode/ },
  aider: { packages: /^aider/ },
  goose: { packages: /goose-cli|block\/goose|^goose$/ },
  amp: { packages: /^@sourcegraph\/amp$|^@ampcode\/|^ampcode$/ },
  'cursor-agent': { packages: /cursor/ },
  qwen: { packages: /qwen/ },
  crush: { packages: /charm.*crush|^crush$/ },
  copilot: { packages: /^@github\/copilot|copilot-cli/ },
  auggie: { packages: /augment/ },
  cline: { packages: /cline/ },
  kimi: { packages: /kimi/ },
  'kiro-cli': { packages: /kiro/ },
  droid: { packages: /factory/ },
  openhands: { packages: /openhands/ },
  plandex: { packages: /plandex/ },
  cody: { packages: /cody/ },
  pi: { packages: /pi-coding-agent/ },
  vibe: { packages: /mistral-vibe/ },
  grok: { packages: /grok/ },
  codebuff: { packages: /codebuff/ },
  continue: { packages: /continue/ },
  cn: { packages: /@continuedev/ },
  'claude-code-acp': { packages: /claude/ },
  'claude-agent-acp': { packages: /claude/ },
  'codex-acp': { packages: /codex/ },
}

export const presetOf = (name: string): AgentPreset | null =>
  (Object.hasOwn(knownAgents, name) ? knownAgents[name]?.preset : undefined) ?? null

/** Names so short or common that only their package says that it is the agent. */
export const ambiguousAgents = new Set(['pi', 'cn', 'continue', 'vibe', 'droid', 'cody', 'grok'])

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** POSIX's list of what a shell does itself, as far as there may be files of that name, and bash's own. */
export const builtins = words(`
  [ alias bg cd command echo false fc fg getopts hash jobs kill printf pwd read test time times true type ulimit
  umask unalias wait`)

export const tuis = words(`
  vi vim view vimdiff vimtutor rvim rview nvim nano rnano pico emacs mg jed joe jmacs jstar ne micro helix hx kak
  htop btop bpytop atop top iotop iftop nethogs nvtop bmon glances gotop ytop powertop slabtop nmon
  less more most lesspipe.sh lv w3m lynx links links2 elinks
  tmux screen byobu zellij dvtm abduco
  mc mcedit mcview ranger nnn lf vifm yazi broot xplr
  ncdu gdu cfdisk cgdisk aptitude alsamixer dialog whiptail
  tig lazygit lazydocker gitui k9s ctop dive dry fzf sk peco
  mutt neomutt alpine irssi weechat newsboat cmus ncmpcpp moc calcurse
  nmtui wavemon mtr bluetuith watch visidata vd minicom tmate`)

export const daemons = words(`
  sshd dropbear dockerd containerd crio podman-remote-service nginx apache2 httpd lighttpd caddy-server
  postgres postmaster mysqld mariadbd mysqld_safe redis-server valkey-server mongod mongos memcached influxd clickhouse-server
  cassandra couchdb rabbitmq-server mosquitto nats-server zookeeper kafka-server
  cron crond atd anacron rsyslogd syslogd syslog-ng klogd journald auditd acpid irqbalance
  named unbound dnsmasq dhcpd dhclient dhcpcd radvd chronyd ntpd ntpsec systemd-resolved
  smbd nmbd winbindd nfsd rpcbind rpc.mountd rpc.statd rpc.nfsd proftpd vsftpd pure-ftpd in.tftpd tftpd
  haproxy envoy traefik varnishd squid privoxy tor stunnel4 stunnel
  kubelet kube-proxy kube-apiserver kube-scheduler kube-controller-manager etcd flanneld k3s-agent
  prometheus alertmanager node_exporter prometheus-node-exporter grafana-server telegraf collectd zabbix_agentd zabbix_server snmpd
  snmptrapd statsd loki promtail vector
  tailscaled openvpn-server wireguard-go zerotier-one strongswan charon ipsec-starter
  avahi-daemon bluetoothd cupsd cups-browsed NetworkManager ModemManager wpa_supplicant hostapd iwd udisksd upowerd polkitd
  dbus-daemon dbus-broker udevd systemd-udevd init systemd pulseaudio pipewire wireplumber
  exim4 exim postfix master sendmail.sendmail dovecot opendkim rspamd spamd clamd freshclam fail2ban-server
  inetd xinetd rsyncd slapd krb5kdc kadmind sssd nscd nslcd gpsd smartd mdadm-monitor multipathd iscsid lvmetad dmeventd
  libvirtd virtlogd qemu-ga snapd fwupd packagekitd colord geoclue rtkit-daemon accounts-daemon gdm3 lightdm sddm Xorg Xvfb
  ssh-agent gpg-agent scdaemon dirmngr saslauthd uuidd thermald earlyoom oomd in.telnetd telnetd`)

/** Tools that look like something else: linked against curses for one of their modes, or named and kept running like a daemon. */
export const tools = words(`
  ed red bash zsh fish ksh dash sh gdb lldb perf psql mysql sqlite3 python3 python perl ruby ssh git systemctl docker ftp sftp telnet
  find sed cmd head id dd md kid add fd chmod command read send nmcli sendmail adduser useradd mkswap readprofile
  start-stop-daemon pg_ctlcluster apache2ctl apachectl nginx-debug kubeadm k3s tput tset reset clear infocmp tic toe tabs captoinfo
  infotocap fdisk sfdisk newgrp passwd chpasswd mysqladmin redis-cli docker-compose etcdctl promtool dhclient-script
  gpg gpgconf vipw setupcon caddy consul vault nomad openvpn wg podman`)
