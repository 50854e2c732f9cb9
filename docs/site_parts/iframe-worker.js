// Search without a server: browsers refuse workers to pages opened from disk, so there the search runs in a hidden
// frame that answers like a worker.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      this.waiting = []
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      document.body.append(this.frame)
      const inside = this.frame.contentWindow
      const page = inside.document
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }))
      inside.importScripts = (...scripts) => Promise.all(scripts.map((script) => this.load(page, script)))
      this.load(page, url).then(() => {
        this.ready = true
        this.waiting.splice(0).forEach((data) => this.postMessage(data))
      })
    }

    load(page, url) {
      return new Promise((done, failed) => {
        const script = page.createElement("script")
        script.src = url
        script.onload = done
        script.onerror = failed
        page.body.append(script)
      })
    }

    postMessage(data) {
      if (!this.ready) this.waiting.push(data)
      else this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }))
    }

    terminate() {
      this.frame.remove()
    }
  }
}
