// One look in a process of its own, from the loading of the code on, and then the same again: prints how long each took.
const [root = '/', folders = ''] = process.argv.slice(2)
const began = performance.now()
const { openDiscovery } = await import('#discovery/open.ts')
const discovery = openDiscovery({ root })
const look = () => discovery.look(folders.split(':'), {})
const { programs } = await look()
const first = performance.now() - began
const again: number[] = []
for (let count = 0; count < 5; count += 1) {
  const since = performance.now()
  await look()
  again.push(performance.now() - since)
}
await discovery.close()
const known = programs.filter((program) => program.packageSource !== 'none').length
process.stdout.write(JSON.stringify({ programs: programs.length, known, first, again }))
