import type { CreateCapability } from '#contract/capability.ts'

const option = (flag: string, title: string, more: Record<string, unknown> = {}) => ({
  type: 'string',
  title,
  'x-flag': flag,
  ...more,
})
const yes = (flag: string, title: string) => ({ type: 'boolean', title, 'x-flag': flag })
const one = (title: string, more: Record<string, unknown> = {}) => ({
  type: 'string',
  minLength: 1,
  title,
  ...more,
})
const many = (title: string, more: Record<string, unknown> = {}) => ({
  type: 'array',
  items: { type: 'string', minLength: 1 },
  title,
  ...more,
})

function made(
  key: string,
  label: string,
  dangerLevel: number,
  tokens: string[],
  properties: Record<string, object>,
  required: string[],
): CreateCapability {
  return {
    key,
    label,
    interactionMode: 'template',
    commandTokens: tokens,
    promptTemplate: null,
    argsSchema: { type: 'object', properties, required },
    dangerLevel,
    annotations: {},
    timeoutSec: 3_600,
    maxOutputBytes: 10_485_760,
  }
}

/** A colon in the name of an archive would be a machine that tar calls. */
const archive = one('Archive', { description: 'The archive’s file', pattern: '^[^:]+$' })
const packing = {
  enum: ['gzip', 'bzip2', 'xz', 'zstd'],
  title: 'Compression',
  'x-flag': '--use-compress-program',
  'x-joined': true,
}
const folder = option('--directory', 'Folder', { description: 'Where to do it' })

const known: Readonly<Record<string, () => CreateCapability[]>> = {
  tar: () => [
    made(
      'create',
      'tar: create an archive',
      1,
      [
        'tar',
        '--create',
        '{{compression...}}',
        '{{verbose...}}',
        '{{exclude...}}',
        '{{folder...}}',
        '--file={{archive}}',
        '--',
        '{{files...}}',
      ],
      {
        archive,
        files: many('Files', { minItems: 1, description: 'What is put into it' }),
        compression: packing,
        folder,
        exclude: many('Except', { 'x-flag': '--exclude', 'x-joined': true }),
        verbose: yes('--verbose', 'List the files'),
      },
      ['archive', 'files'],
    ),
    made(
      'extract',
      'tar: extract an archive',
      1,
      [
        'tar',
        '--extract',
        '{{verbose...}}',
        '{{keep...}}',
        '{{strip...}}',
        '{{folder...}}',
        '--file={{archive}}',
        '--',
        '{{files...}}',
      ],
      {
        archive,
        folder,
        files: many('Only these', { description: 'Without any: all of it' }),
        keep: yes('--keep-old-files', 'Do not replace files that are there'),
        strip: {
          type: 'integer',
          minimum: 0,
          title: 'Leave out so many leading folders',
          'x-flag': '--strip-components',
          'x-joined': true,
        },
        verbose: yes('--verbose', 'List the files'),
      },
      ['archive'],
    ),
    made(
      'list',
      'tar: list an archive',
      0,
      ['tar', '--list', '{{verbose...}}', '--file={{archive}}', '--', '{{files...}}'],
      { archive, files: many('Only these'), verbose: yes('--verbose', 'With sizes and dates') },
      ['archive'],
    ),
  ],
  ffmpeg: () => [
    made(
      'convert',
      'ffmpeg: convert a video, a sound or a picture',
      1,
      [
        'ffmpeg',
        '-hide_banner',
        '-nostdin',
        '{{overwrite...}}',
        '{{start...}}',
        '{{duration...}}',
        '-i',
        '{{input}}',
        '{{video-codec...}}',
        '{{audio-codec...}}',
        '{{quality...}}',
        '{{video-bitrate...}}',
        '{{audio-bitrate...}}',
        '{{video-filter...}}',
        '{{audio-filter...}}',
        '{{frame-rate...}}',
        '{{size...}}',
        '{{no-video...}}',
        '{{no-audio...}}',
        '{{frames...}}',
        '{{format...}}',
        '{{output}}',
      ],
      {
        input: one('Input', { description: 'The file that is read' }),
        output: one('Output', { description: 'The file that is written; its ending says what it becomes' }),
        overwrite: yes('-y', 'Replace the output if it is there'),
        start: option('-ss', 'Begin at', { description: 'In seconds, or as 00:01:30' }),
        duration: option('-t', 'For', { description: 'In seconds, or as 00:01:30' }),
        'video-codec': option('-c:v', 'Video codec', {
          description: 'For example libx264, libvpx-vp9, copy',
        }),
        'audio-codec': option('-c:a', 'Audio codec', { description: 'For example aac, libopus, copy' }),
        quality: option('-crf', 'Quality', { description: 'Less is better: 18 to 28 for libx264' }),
        'video-bitrate': option('-b:v', 'Video bitrate', { description: 'For example 2M' }),
        'audio-bitrate': option('-b:a', 'Audio bitrate', { description: 'For example 128k' }),
        'video-filter': option('-vf', 'Video filter', { description: 'For example scale=1280:-2' }),
        'audio-filter': option('-af', 'Audio filter', { description: 'For example volume=2' }),
        'frame-rate': option('-r', 'Frames per second'),
        size: option('-s', 'Size', { description: 'For example 1280x720' }),
        'no-video': yes('-vn', 'Without video'),
        'no-audio': yes('-an', 'Without sound'),
        frames: option('-frames:v', 'So many frames', { description: '1 makes a picture' }),
        format: option('-f', 'Format', { description: 'Where the ending does not say it' }),
      },
      ['input', 'output'],
    ),
  ],
}

/** The everyday uses of programs whose options alone do not make a form. */
export const handMade = (name: string): CreateCapability[] =>
  Object.hasOwn(known, name) ? known[name]!() : []
