import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { logInFromAddress } from './features/login/log-in.ts'
import { Login } from './features/login/login.tsx'
import { queryClient } from './query-client.ts'
import { router } from './routes.tsx'
import { session } from './session.ts'
import { useStore } from './store.ts'
import { Boundary } from './ui/broken.tsx'
import './styles.css'

logInFromAddress()
session.subscribe(() => {
  if (session.get() === null) queryClient.clear()
})

function Page() {
  const key = useStore(session, (now) => now?.sessionKey)
  if (!key) return <Login />
  return (
    <QueryClientProvider key={key} client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  )
}

const place = document.getElementById('root')
if (place)
  createRoot(place).render(
    <StrictMode>
      <Boundary>
        <Page />
      </Boundary>
    </StrictMode>,
  )
