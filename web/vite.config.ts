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
    waitForFiles(),
    nameIdleFiles(),
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
    modulePreload: {
      polyfill: false,
      // Vite leaves out a file that imports nothing.
      resolveDependencies: (file, files, { hostType }) =>
        hostType === 'js' ? [...new Set([file, ...files])] : files,
    },
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

const partFiles = fileURLToPath(new URL('./part-files.ts', import.meta.url))

/** Lets every import() wait for its files in our way: Vite hands it their names, and would give up at the first that is missing. */
function waitForFiles(): Plugin {
  return {
    name: 'wait-for-files',
    enforce: 'pre',
    load: {
      filter: { id: /^\0vite\/preload-helper/ },
      handler: () => `export { importWithFiles as __vitePreload } from ${JSON.stringify(partFiles)}`,
    },
  }
}

/** A script of more characters than this comes when somebody asks for it, and not before. */
const large = 100_000

/** Names the scripts that may be fetched before anybody needs them. */
function nameIdleFiles(): Plugin {
  return {
    name: 'name-idle-files',
    transformIndexHtml: {
      order: 'post',
      handler: (html, { bundle }) => {
        const files = Object.values(bundle ?? {}).flatMap((file) =>
          file.type === 'chunk' && file.code.length < large && !html.includes(file.fileName)
            ? [file.fileName]
            : [],
        )
        return [
          { tag: 'meta', attrs: { name: 'idle-files', content: files.join(' ') }, injectTo: 'head' as const },
        ]
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
