/** What the images of the test engine are called. */
export const testImages = {
  /** With Node, git and what a shell needs. */
  image: 'signalbox-test:workspace',
  withoutNode: 'signalbox-test:without-node',
}
