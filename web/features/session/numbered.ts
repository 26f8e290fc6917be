/** Things that are told apart by their place alone. */
export const numbered = <Thing>(things: readonly Thing[]): { thing: Thing; number: number }[] =>
  things.map((thing, index) => ({ thing, number: index + 1 }))
