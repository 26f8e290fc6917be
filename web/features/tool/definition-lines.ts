/** A definition as lines that can be compared: what is said in words, then the schemas. */
export function definitionLines(definition: unknown): string[] {
  const given = typeof definition === 'object' && definition !== null ? definition : {}
  const { title, description, inputSchema, outputSchema, annotations } = given as Record<string, unknown>
  return [
    ...(typeof title === 'string' ? [title] : []),
    ...(typeof description === 'string' ? description.split('\n') : []),
    ...[inputSchema, outputSchema, annotations].flatMap((part) =>
      part === undefined ? [] : JSON.stringify(part, null, 1).split('\n'),
    ),
  ]
}
