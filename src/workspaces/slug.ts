/** Words of a title as a name for a branch and a folder. */
export function slugOf(title: string, longest = 40): string {
  const plain = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, longest)
    .replace(/^-+|-+$/g, '')
  return plain || 'work'
}
