import type { Config } from '#config/config.ts'
import { targetOf, authorityOf } from '#lib/target.ts'

/** Where Signalbox itself is: code does not call it from behind. */
export interface OwnPlaces {
  /** `host:port`. */
  hosts: readonly string[]
  /** Of this machine, at whatever address. */
  ports: readonly number[]
}

const usualPorts: Record<string, number> = {
  'http:': 80,
  'https:': 443,
  'postgres:': 5432,
  'postgresql:': 5432,
}

export function ownPlaces({ port, terminalPort, publicUrl, databaseUrl, worker }: Config): OwnPlaces {
  const listening = worker.listen === undefined ? undefined : targetOf(worker.listen)
  const urls = [publicUrl, databaseUrl, worker.url].flatMap((text) => URL.parse(text ?? '') ?? [])
  const named = urls.flatMap((url) => targetOf(url.host, usualPorts[url.protocol]) ?? [])
  const ofDatabase = URL.parse(databaseUrl ?? '')
  return {
    hosts: [...named, ...(listening ? [listening] : [])].map(authorityOf),
    ports: [
      port,
      terminalPort,
      ...(listening ? [listening.port] : []),
      ...(ofDatabase ? [Number(ofDatabase.port || 5432)] : []),
    ],
  }
}
