/** What else there is inside, whatever was registered. */
export const surroundings = `/** What was given with the code. */
declare const context: any
declare const console: { log(...given: unknown[]): void; info(...given: unknown[]): void; warn(...given: unknown[]): void; error(...given: unknown[]): void; debug(...given: unknown[]): void }
/** Only where the capability \`network\` allows the host. */
declare function fetch(url: string, options?: { method?: string; headers?: Record<string, string>; body?: string }): Promise<{ status: number; statusText: string; ok: boolean; url: string; headers: { get(name: string): string | null; has(name: string): boolean; entries(): Iterable<[string, string]> }; text(): Promise<string>; json(): Promise<any> }>
/** Only where the capability \`fs\` allows the path. */
declare const fs: { readFile(path: string): Promise<string>; writeFile(path: string, content: string): Promise<void>; readdir(path: string): Promise<{ name: string; type: string }[]> }
declare function setTimeout(work: (...given: any[]) => void, ms?: number, ...given: unknown[]): number
declare function clearTimeout(id: number): void
declare function atob(text: string): string
declare function btoa(text: string): string`
