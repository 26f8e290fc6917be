import type { TestProject } from 'vitest/node'
import { installOutsideTools } from './install.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder with the `node_modules` of programs that others have written. */
    outsideTools: string
  }
}

export default async function setup(project: TestProject): Promise<void> {
  project.provide('outsideTools', await installOutsideTools())
}
