import type { PackageSource } from '#contract/discovery.ts'
import type { ScannedFile } from '../scan.ts'

/** The package that a program belongs to, as it tells of itself. */
export interface Owner {
  package: string
  source: PackageSource
  version: string | null
  description: string | null
}

/** Says which of the files are its own, by their paths. What it cannot read it knows nothing of; it never rejects. */
export type FindOwners = (files: readonly ScannedFile[]) => Promise<ReadonlyMap<string, Owner>>
