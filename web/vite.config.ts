import { fileURLToPath } from 'node:url'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import type { Plugin } from 'vite'

const server = `http://${process.env['HOST'] ?? '127.0.0.1'}:${process.env['PORT'] ?? '4100'}`

export default defineConfig({
  plugins: [
    react(),
    tailwind(),
    preloadTextFont(),
    namePartFiles(),
    adoptTerminalStyles(),
    adoptEditorStyles(),
  ],
  resolve: {
    // Radix locks scrolling by adding a <style> element, which the content security policy forbids.
    alias: { 'react-remove-scroll': fileURLToPath(new URL('./ui/scroll-lock.tsx', import.meta.url)) },
  },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: ['chrome123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Every file is named in the page and in its first script, and what is in a hash cannot be made smaller.
    rolldownOptions: {
      output: {
        entryFileNames: 'assets/[name]-[hash:7].js',
        chunkFileNames: 'assets/[name]-[hash:7].js',
      },
    },
  },
  server: { proxy: { '/api': { target: server, changeOrigin: true } } },
})

/** The font is `font-display: optional`: it must be there before the first paint, or the text keeps its fallback. */
function preloadTextFont(): Plugin {
  return {
    name: 'preload-text-font',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle }) =>
        Object.keys(bundle ?? {})
          .filter((file) => /inter-latin-wght.*\.woff2$/.test(file))
          .map((file) => ({
            tag: 'link',
            attrs: { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: true, href: `/${file}` },
            injectTo: 'head',
          })),
    },
  }
}

/**
 * Names the scripts that come after the first paint, so that the page can fetch them before it needs them; those with xterm.js or
 * CodeMirror, each of which is as large as all others together, apart.
 */
function namePartFiles(): Plugin {
  return {
    name: 'name-part-files',
    transformIndexHtml: {
      order: 'post',
      handler: (html, { bundle }) => {
        const later = Object.values(bundle ?? {}).filter(
          (file) => file.type === 'chunk' && !html.includes(file.fileName),
        )
        const lists = Object.groupBy(later, (file) => {
          const isWith = (maker: string) =>
            file.type === 'chunk' && file.moduleIds.some((id) => id.includes(maker))
          if (isWith('/@xterm/')) return 'terminal-files'
          return isWith('/@codemirror/') || isWith('/@lezer/') ? 'editor-files' : 'part-files'
        })
        return Object.entries(lists).map(([name, files]) => ({
          tag: 'meta',
          attrs: { name, content: files.map(({ fileName }) => `/${fileName}`).join(' ') },
          injectTo: 'head' as const,
        }))
      },
    },
  }
}

/**
 * xterm.js adds <style> elements and style attributes, which the content security policy forbids. Here it makes style sheets by
 * script and sets properties instead, which it allows. A version that is written otherwise does not build.
 */
function adoptTerminalStyles(): Plugin {
  const own = fileURLToPath(new URL('./features/terminal/adopted-style.ts', import.meta.url))
  const changes: [found: RegExp, times: number, instead: string][] = [
    [/[\w.]+\.createElement\("style"\)/g, 3, 'adoptedStyle()'],
    [/(\w+)\.setAttribute\("style",`\$\{\1\.getAttribute\("style"\)\|\|""\}/g, 1, '($1.style.cssText+=`'],
  ]
  return {
    name: 'adopt-terminal-styles',
    transform: {
      filter: { id: /@xterm\/xterm\/lib\/xterm\.mjs$/ },
      handler(code) {
        const changed = changes.reduce((text, [found, times, instead]) => {
          const here = text.match(found)?.length ?? 0
          if (here !== times)
            throw new Error(`xterm.js has ${here} of ${found}, not ${times}: see vite.config.ts`)
          return text.replace(found, instead)
        }, code)
        if (/createElement\("style"|setAttribute\("style"/.test(changed))
          throw new Error('xterm.js styles in another way than vite.config.ts knows')
        return { code: `import { adoptedStyle } from ${JSON.stringify(own)};${changed}`, map: null }
      },
    },
  }
}

/** CodeMirror's styles go into a <style> element of a page, and are adopted only in a shadow root. Here they are adopted in both. */
function adoptEditorStyles(): Plugin {
  const found = '!root.head && root.adoptedStyleSheets'
  return {
    name: 'adopt-editor-styles',
    transform: {
      filter: { id: /style-mod\/src\/style-mod\.js$/ },
      handler(code) {
        if (!code.includes(found))
          throw new Error('style-mod adopts in another way than vite.config.ts knows')
        return { code: code.replace(found, 'root.adoptedStyleSheets'), map: null }
      },
    },
  }
}
