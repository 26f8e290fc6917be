/** How the embedded server runs: safe for data first, small second, and reachable by a unix socket alone. */
export function serverArguments(given: {
  path: string
  socketFolder: string
  clusterName: string
}): string[] {
  const settings: Record<string, string> = {
    cluster_name: given.clusterName,
    listen_addresses: '',
    unix_socket_directories: given.socketFolder,
    unix_socket_permissions: '0700',
    port: '5432',
    max_connections: '100',
    shared_buffers: '48MB',
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    max_wal_size: '512MB',
    // Processes that would only wait on a machine of one user.
    io_method: 'sync',
    max_logical_replication_workers: '0',
    jit: 'off',
    log_timezone: 'UTC',
    timezone: 'UTC',
    log_checkpoints: 'off',
    // A failed statement may carry somebody's text: the message is enough.
    log_min_error_statement: 'panic',
  }
  return [
    `-D`,
    given.path,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
}
