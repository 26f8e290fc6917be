/** JSON as some programs let people write it: with `//` and `/* *\/`, which become spaces. What stands in quotes stays. */
export const withoutComments = (text: string): string =>
  text.replace(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (part) =>
    part.startsWith('"') ? part : part.replaceAll(/[^\n]/g, ' '),
  )
