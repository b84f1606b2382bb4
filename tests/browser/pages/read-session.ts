// Reads the session that the fragment names, and shows the status or the fault that a page meets.
const { url, sessionId, token } = JSON.parse(decodeURIComponent(location.hash.slice(1)));
const status = document.createElement('output');
try {
  const response = await fetch(`${url}/v1/sessions/${sessionId}`, { headers: { authorization: `Bearer ${token}` } });
  status.textContent = String(response.status);
} catch (error) {
  status.textContent = (error as Error).name;
}
document.getElementById('root')?.append(status);
