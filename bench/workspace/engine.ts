/** An engine with an image for workspaces, as the tests start one. */
export async function withEngine<Result>(
  _work: (engine: { dockerHost: string; image: string }) => Promise<Result>,
): Promise<Result> {
  throw new Error('no engine yet')
}
